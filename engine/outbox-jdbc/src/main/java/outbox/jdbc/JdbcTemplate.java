package outbox.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs prepared statements on the caller's connection: it never closes, commits or rolls back. Stateless, thread-safe.
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

    /** Maps the current row of a result set. */
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
            try (ResultSet rows = statement.executeQuery()) {
                return read(rows, mapper);
            }
        }
    }

    /**
     * Runs a statement that changes and returns rows, such as {@code UPDATE … RETURNING}; their order is not defined.
     * If the driver allows several statements in one text, preceding ones may prepare the session.
     */
    public static <T> List<T> updateReturning(Connection conn, String sql, Binder binder, RowMapper<? extends T> mapper)
            throws SQLException {
        try (PreparedStatement statement = conn.prepareStatement(sql)) {
            binder.bind(statement);
            boolean isRows = statement.execute();
            while (!isRows && statement.getUpdateCount() >= 0) {
                isRows = statement.getMoreResults();
            }
            if (!isRows) {
                throw new SQLException("the statement returned no result set: is RETURNING missing?");
            }
            try (ResultSet rows = statement.getResultSet()) {
                return read(rows, mapper);
            }
        }
    }

    private static <T> List<T> read(ResultSet rows, RowMapper<? extends T> mapper) throws SQLException {
        List<T> result = new ArrayList<>();
        while (rows.next()) {
            result.add(mapper.map(rows));
        }
        return result;
    }
}
