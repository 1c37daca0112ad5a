package outbox.doctor;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.EventTable;
import outbox.jdbc.JdbcTemplate.RowMapper;
import outbox.jdbc.SqlDialect;
import outbox.jdbc.TimeColumns;

/** Runs SELECT statements, each with a timeout. */
final class Ask {
    private final Connection conn;
    private final int timeoutSeconds;
    private final String table;
    private final SqlDialect dialect;

    Ask(Connection conn, Duration timeout, String table, SqlDialect dialect) {
        this.conn = conn;
        this.timeoutSeconds = (int) Math.max(1, timeout.plusMillis(999).toSeconds());
        this.table = table;
        this.dialect = dialect;
    }

    Connection connection() {
        return conn;
    }

    TimeColumns times() {
        return dialect.times();
    }

    /** The database's current time. */
    Instant clock() throws SQLException {
        return list(dialect.clockQuery(), row -> dialect.clockTimes().read(row, 1))
                .get(0);
    }

    /** {@code {table}} in the text is the name of the table; see {@link EventTable} for the other placeholders. */
    <T> List<T> list(String sql, RowMapper<? extends T> mapper, @Nullable Object... parameters) throws SQLException {
        try (PreparedStatement statement =
                conn.prepareStatement(EventTable.fill(sql).replace("{table}", table))) {
            statement.setQueryTimeout(timeoutSeconds);
            for (int i = 0; i < parameters.length; i++) {
                if (parameters[i] instanceof Instant time) {
                    dialect.times().bind(statement, i + 1, time);
                } else {
                    statement.setObject(i + 1, parameters[i]);
                }
            }
            try (ResultSet rows = statement.executeQuery()) {
                List<T> result = new ArrayList<>();
                while (rows.next()) {
                    result.add(mapper.map(rows));
                }
                return result;
            }
        }
    }

    <T> @Nullable T first(String sql, RowMapper<? extends T> mapper, @Nullable Object... parameters)
            throws SQLException {
        List<T> rows = list(sql, mapper, parameters);
        return rows.isEmpty() ? null : rows.get(0);
    }

    long number(String sql, @Nullable Object... parameters) throws SQLException {
        Long value = first(sql, row -> row.getLong(1), parameters);
        return value == null ? 0 : value;
    }

    /** The first column of the first row as text; never null, even without a row. */
    String text(String sql, @Nullable Object... parameters) throws SQLException {
        List<String> values = list(sql, row -> String.valueOf(row.getString(1)), parameters);
        return values.isEmpty() ? "null" : values.get(0);
    }
}
