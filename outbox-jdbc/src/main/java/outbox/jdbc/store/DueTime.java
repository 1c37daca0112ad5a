package outbox.jdbc.store;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import outbox.EventEnvelope;
import outbox.jdbc.TimeColumns;

/** When a new event becomes due, as it is said in SQL. */
enum DueTime {
    /** At once, by the database's clock. */
    NOW("{now}") {
        @Override
        int bind(PreparedStatement statement, int index, EventEnvelope event, TimeColumns times) {
            return index;
        }
    },
    /** At a time the event names. */
    AT("?") {
        @Override
        int bind(PreparedStatement statement, int index, EventEnvelope event, TimeColumns times) throws SQLException {
            Instant time = Objects.requireNonNull(event.availableAt());
            times.bind(statement, index, time);
            return index + 1;
        }
    },
    /** After a delay, by the database's clock. */
    AFTER("{now+?}") {
        @Override
        int bind(PreparedStatement statement, int index, EventEnvelope event, TimeColumns times) throws SQLException {
            Duration delay = Objects.requireNonNull(event.deliverAfter());
            statement.setLong(index, Micros.of(delay));
            return index + 1;
        }
    };

    private final String expression;

    DueTime(String expression) {
        this.expression = expression;
    }

    /** The SQL expression for {@code available_at}. */
    String expression() {
        return expression;
    }

    /** @return the index of the next parameter */
    abstract int bind(PreparedStatement statement, int index, EventEnvelope event, TimeColumns times)
            throws SQLException;

    static DueTime of(EventEnvelope event) {
        if (event.availableAt() != null) {
            return AT;
        }
        return event.deliverAfter() != null ? AFTER : NOW;
    }

    /** Events of one kind go into one statement; inside a kind the order stays. */
    static Map<DueTime, List<EventEnvelope>> group(List<EventEnvelope> events) {
        Map<DueTime, List<EventEnvelope>> groups = new EnumMap<>(DueTime.class);
        for (EventEnvelope event : events) {
            groups.computeIfAbsent(of(event), kind -> new ArrayList<>()).add(event);
        }
        return groups;
    }
}
