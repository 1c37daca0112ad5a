package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import outbox.jdbc.EventTable;
import outbox.jdbc.JdbcTemplate;

/** Finds rows locked by other transactions, on databases with {@code SKIP LOCKED}. Immutable. */
final class LockedRows {
    private final String sql;

    LockedRows(EventTable table) {
        this.sql = table.sql("SELECT event_id FROM {table by key} WHERE event_id IN ({ids})");
    }

    Set<String> find(Connection conn, Collection<String> eventIds) throws SQLException {
        return OwnTransaction.run(conn, () -> {
            Set<String> locked = new LinkedHashSet<>();
            for (InList ids : InList.split(eventIds, InList.LARGEST)) {
                Set<String> notFree = new LinkedHashSet<>(ids.ids());
                notFree.removeAll(new HashSet<>(existing(conn, ids, " FOR UPDATE SKIP LOCKED")));
                if (!notFree.isEmpty()) {
                    locked.addAll(existing(conn, InList.of(notFree), ""));
                }
            }
            return locked;
        });
    }

    private List<String> existing(Connection conn, InList ids, String lock) throws SQLException {
        return JdbcTemplate.query(
                conn,
                sql.replace("{ids}", ids.placeholders()) + lock,
                statement -> ids.bind(statement, 1),
                row -> row.getString(1));
    }
}
