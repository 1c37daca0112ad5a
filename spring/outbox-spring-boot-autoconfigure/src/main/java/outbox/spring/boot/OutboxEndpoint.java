package outbox.spring.boot;

import java.sql.SQLException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import outbox.model.EventStatus;
import outbox.spring.boot.properties.OutboxProperties;

/**
 * {@code /actuator/outbox} for a summary, {@code /actuator/outbox/events?status=DEAD&type=…&limit=…} for rows and
 * {@code /actuator/outbox/events/<id>} for one of them with the progress of its handlers. With several outboxes each answers
 * under its name, and {@code instance=} chooses one.
 */
@Endpoint(id = "outbox")
public class OutboxEndpoint {
    static final String EVENTS = "events";
    private static final int DEFAULT_LIMIT = 50;
    private static final int MAX_LIMIT = 1000;

    private final Map<String, OutboxUnit> units;
    private final OutboxProperties properties;

    OutboxEndpoint(List<OutboxUnit> units, OutboxProperties properties) {
        this.units = new LinkedHashMap<>();
        units.forEach(unit -> this.units.put(unit.name(), unit));
        this.properties = properties;
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
            throw refused("limit must be from 1 to " + MAX_LIMIT + ", not " + rows);
        }
        return Map.of(EVENTS, new OutboxReport(unit(instance)).events(statusOf(status), type, rows));
    }

    /** One row; {@code null}, which is 404 over HTTP, if it is not there. */
    @ReadOperation
    public @Nullable Map<String, Object> event(
            @Selector String section,
            @Selector String eventId,
            @org.springframework.lang.Nullable @Nullable String instance)
            throws SQLException {
        requireEvents(section);
        return new OutboxReport(unit(instance))
                .event(eventId, properties.getEndpoint().isPayloads());
    }

    final OutboxUnit unit(@Nullable String instance) {
        if (instance == null && units.size() == 1) {
            return units.values().iterator().next();
        }
        OutboxUnit unit = instance == null ? null : units.get(instance);
        if (unit == null) {
            throw refused("instance must be one of " + units.keySet() + ", not " + instance);
        }
        return unit;
    }

    static void requireEvents(String section) {
        if (!section.equals(EVENTS)) {
            throw refused("there is no '" + section + "' here; there is 'events'");
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

    static InvalidEndpointRequestException refused(String why) {
        return new InvalidEndpointRequestException(why, why);
    }
}
