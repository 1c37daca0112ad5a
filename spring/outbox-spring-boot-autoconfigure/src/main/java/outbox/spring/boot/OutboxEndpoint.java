package outbox.spring.boot;

import java.sql.SQLException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import outbox.dead.DeadEventManager;
import outbox.model.EventStatus;

/**
 * {@code /actuator/outbox} for a summary, {@code /actuator/outbox/events?status=DEAD&type=…&limit=…} for rows and
 * {@code /actuator/outbox/events/<id>} for one of them with the progress of its handlers. With several outboxes the
 * result is grouped by name, and {@code instance=} selects one. With {@code
 * management.endpoint.outbox.access=unrestricted} events can be changed: {@code POST {"action": "replay"}} to an event.
 */
@Endpoint(id = "outbox", defaultAccess = Access.READ_ONLY)
public class OutboxEndpoint {
    private static final String EVENTS = "events";
    private static final int DEFAULT_LIMIT = 50;
    private static final int MAX_LIMIT = 1000;

    private final Map<String, OutboxUnit> units;
    private final Show showValues;

    OutboxEndpoint(List<OutboxUnit> units, Show showValues) {
        this.units = new LinkedHashMap<>();
        units.forEach(unit -> this.units.put(unit.name(), unit));
        this.showValues = showValues;
    }

    /** Counts, age of the oldest pending event, handlers. */
    @ReadOperation
    public Map<String, Object> summary() throws SQLException {
        Map<String, Object> all = new LinkedHashMap<>();
        for (OutboxUnit unit : units.values()) {
            all.put(unit.name(), new OutboxReport(unit).summary());
        }
        return all;
    }

    /** Rows; without a status the newest. */
    @ReadOperation
    public Map<String, Object> events(
            @Selector String section,
            @org.springframework.lang.Nullable @Nullable String status,
            @org.springframework.lang.Nullable @Nullable String type,
            @org.springframework.lang.Nullable @Nullable Integer limit,
            @org.springframework.lang.Nullable @Nullable String instance)
            throws SQLException {
        requireEvents(section);
        int rows = limit == null ? DEFAULT_LIMIT : limit;
        if (rows < 1 || rows > MAX_LIMIT) {
            throw refused("limit must be between 1 and " + MAX_LIMIT + ", not " + rows);
        }
        return Map.of(EVENTS, new OutboxReport(unit(instance)).events(statusOf(status), type, rows));
    }

    /** One row; {@code null} if it does not exist. */
    @ReadOperation
    public @Nullable Map<String, Object> event(
            @Selector String section,
            @Selector String eventId,
            @org.springframework.lang.Nullable @Nullable String instance)
            throws SQLException {
        return event(section, eventId, instance, showValues.isShown(true));
    }

    @Nullable
    Map<String, Object> event(String section, String eventId, @Nullable String instance, boolean withValues)
            throws SQLException {
        requireEvents(section);
        return new OutboxReport(unit(instance)).event(eventId, withValues);
    }

    /**
     * @param action {@code replay}, {@code skip} or {@code park}
     * @throws SQLException if the database fails; the state of the event is unknown then
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

    private OutboxUnit unit(@Nullable String instance) {
        if (instance == null && units.size() == 1) {
            return units.values().iterator().next();
        }
        OutboxUnit unit = instance == null ? null : units.get(instance);
        if (unit == null) {
            throw refused("instance must be one of " + units.keySet() + ", not " + instance);
        }
        return unit;
    }

    private static void requireEvents(String section) {
        if (!section.equals(EVENTS)) {
            throw refused("unknown section '" + section + "'; use 'events'");
        }
    }

    private static @Nullable EventStatus statusOf(@Nullable String status) {
        if (status == null) {
            return null;
        }
        try {
            return EventStatus.valueOf(status.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw refused("status must be one of " + Arrays.toString(EventStatus.values()) + ", not " + status);
        }
    }

    private static InvalidEndpointRequestException refused(String why) {
        return new InvalidEndpointRequestException(why, why);
    }
}
