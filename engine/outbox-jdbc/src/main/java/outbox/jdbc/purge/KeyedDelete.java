package outbox.jdbc.purge;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import outbox.jdbc.EventTable;
import outbox.jdbc.JdbcTemplate;

/** Deletes rows by key, in statements of a size that every database accepts. Immutable. */
final class KeyedDelete {
    private static final int PAGE = 500;

    private final String delete;

    /** @param condition what must hold for a row besides its key, with parameters, as {@code … AND}; may be empty */
    KeyedDelete(EventTable table, String condition) {
        this.delete = table.sql("{delete by key} WHERE " + condition + " event_id IN (");
    }

    /**
     * @param binder sets the parameters of the condition
     * @param parameters how many these are
     */
    int delete(Connection conn, List<String> ids, JdbcTemplate.Binder binder, int parameters) throws SQLException {
        int deleted = 0;
        for (int from = 0; from < ids.size(); from += PAGE) {
            List<String> page = ids.subList(from, Math.min(from + PAGE, ids.size()));
            String sql = delete + String.join(", ", Collections.nCopies(page.size(), "?")) + ")";
            deleted += JdbcTemplate.update(conn, sql, statement -> {
                binder.bind(statement);
                for (int i = 0; i < page.size(); i++) {
                    statement.setString(parameters + i + 1, page.get(i));
                }
            });
        }
        return deleted;
    }
}
