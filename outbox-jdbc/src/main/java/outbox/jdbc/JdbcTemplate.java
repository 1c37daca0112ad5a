package outbox.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs prepared statements on a connection that belongs to the caller: it never closes, commits or rolls back.
 * Stateless, thread-safe.
 */
public final class JdbcTemplate {
    private JdbcTemplate() {}

    /** Sets the parameters of a statement. */
    @FunctionalInterface
    public interface Binder {
        /** For statements without parameters. */
        Binder NOTHING = statement -> {};

        void bind(PreparedStatement statement) throws SQLException;
    }

    /** Makes one value of the row the result set stands on. */
    @FunctionalInterface
    public interface RowMapper<T> {
        T map(ResultSet row) throws SQLException;
    }

    /** @return how many rows changed */
    public static int update(Connection conn, String sql, Binder binder) throws SQLException {
        try (PreparedStatement statement = conn.prepareStatement(sql)) {
            binder.bind(statement);
            return statement.executeUpdate();
        }
    }

    /** @return one value per row, in the order of the result */
    public static <T> List<T> query(Connection conn, String sql, Binder binder, RowMapper<? extends T> mapper)
            throws SQLException {
        try (PreparedStatement statement = conn.prepareStatement(sql)) {
            binder.bind(statement);
            return read(statement, mapper);
        }
    }

    /** Changes rows by a statement that returns them, such as {@code UPDATE … RETURNING}; their order is the database's. */
    public static <T> List<T> updateReturning(Connection conn, String sql, Binder binder, RowMapper<? extends T> mapper)
            throws SQLException {
        return query(conn, sql, binder, mapper);
    }

    private static <T> List<T> read(PreparedStatement statement, RowMapper<? extends T> mapper) throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            List<T> result = new ArrayList<>();
            while (rows.next()) {
                result.add(mapper.map(rows));
            }
            return result;
        }
    }
}
