package outbox.spring.boot;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import outbox.dead.DeadEventManager;
import outbox.spring.boot.properties.OutboxProperties;

/** The endpoint where {@code outbox.endpoint.writes} is on: {@code POST {"action": "replay"}} to an event. */
@Endpoint(id = "outbox")
public class WritableOutboxEndpoint extends OutboxEndpoint {
    WritableOutboxEndpoint(List<OutboxUnit> units, OutboxProperties properties) {
        super(units, properties);
    }

    /**
     * @param action {@code replay}, {@code skip} or {@code park}
     * @throws SQLException if the database fails; nothing is known about the event then
     */
    @WriteOperation
    public Map<String, Object> change(
            @Selector String section,
            @Selector String eventId,
            String action,
            @org.springframework.lang.Nullable @Nullable String instance)
            throws SQLException {
        requireEvents(section);
        DeadEventManager dead = unit(instance).outbox().deadEvents();
        boolean done = switch (action) {
            case "replay" -> dead.replayOrFail(eventId);
            case "skip" -> dead.skipOrFail(eventId);
            case "park" -> dead.parkOrFail(eventId);
            default -> throw refused("action must be replay, skip or park, not " + action);
        };
        return Map.of("eventId", eventId, "action", action, "done", done);
    }
}
