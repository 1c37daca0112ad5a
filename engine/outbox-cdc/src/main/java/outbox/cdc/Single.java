package outbox.cdc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.JdbcTemplate;

/** Queries for a single value. */
final class Single {
    private Single() {}

    /** @return {@code null} if there is no row or the value is null */
    static @Nullable String text(Connection conn, String sql) throws SQLException {
        List<String[]> rows =
                JdbcTemplate.query(conn, sql, JdbcTemplate.Binder.NOTHING, row -> new String[] {row.getString(1)});
        return rows.isEmpty() ? null : rows.get(0)[0];
    }
}
