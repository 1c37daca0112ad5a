package outbox.testing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import javax.sql.DataSource;
import outbox.EventEnvelope;
import outbox.model.EventStatus;
import outbox.util.DefaultJsonCodec;

/** Provides the published events for assertions: oldest first, read again each time. */
@FunctionalInterface
public interface EventSource {
    List<PublishedEvent> read();

    /**
     * All rows of a table; {@code table} is trusted. It only reads, so a data source that returns the connection of the
     * caller's transaction works too, and shows uncommitted events.
     */
    static EventSource table(DataSource dataSource, String table) {
        return () -> {
            try (Connection connection = dataSource.getConnection()) {
                return read(connection, table);
            } catch (SQLException e) {
                throw new IllegalStateException("cannot read table " + table + ": " + e.getMessage(), e);
            }
        };
    }

    /** All rows of a store in memory. */
    static EventSource store(InMemoryOutboxStore store) {
        return () -> store.rows().stream().map(PublishedEvent::of).toList();
    }

    /** These events, such as those a listener received; all count as NEW. */
    static EventSource events(Collection<EventEnvelope> events) {
        return () -> events.stream().map(PublishedEvent::of).toList();
    }

    private static List<PublishedEvent> read(Connection connection, String table) throws SQLException {
        DefaultJsonCodec codec = new DefaultJsonCodec();
        List<PublishedEvent> events = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement("""
                        SELECT event_id, event_type, aggregate_type, aggregate_id, tenant_id, payload, headers, status,
                               attempts, last_error, locked_by
                        FROM %s ORDER BY created_at, event_id
                        """.formatted(table));
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                events.add(new PublishedEvent(
                        row.getString(1),
                        row.getString(2),
                        row.getString(3),
                        row.getString(4),
                        row.getString(5),
                        row.getString(6),
                        codec.parseObject(row.getString(7)),
                        EventStatus.fromCode(row.getInt(8)),
                        row.getInt(9),
                        row.getString(10),
                        row.getString(11)));
            }
        }
        return events;
    }
}
