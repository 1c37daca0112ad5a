package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import outbox.jdbc.EventTable;
import outbox.jdbc.JdbcTemplate;
import outbox.model.OutboxEvent;

/** Writes the lease of rows that the caller's transaction has locked. Immutable. */
final class LeaseByKey {
    private static final String LEASE = """
            UPDATE {table by key} SET locked_by = ?, locked_at = {now} WHERE event_id IN ({ids})
            """;

    private final String sql;

    LeaseByKey(EventTable table) {
        this.sql = table.sql(LEASE);
    }

    void write(Connection conn, String owner, List<OutboxEvent> locked) throws SQLException {
        List<String> ids = locked.stream().map(OutboxEvent::eventId).toList();
        for (InList list : InList.split(ids, InList.LARGEST)) {
            JdbcTemplate.update(conn, sql.replace("{ids}", list.placeholders()), statement -> {
                statement.setString(1, owner);
                list.bind(statement, 2);
            });
        }
    }
}
