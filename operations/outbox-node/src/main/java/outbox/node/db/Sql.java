package outbox.node.db;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.JdbcTemplate.RowMapper;

/** An SQL statement built together with its parameters; every execution has a time limit. Not thread-safe. */
public final class Sql {
    /** Protects the database; a page has given up waiting long before. */
    public static final int TIMEOUT_SECONDS = 5;

    private static final String POSTGRES_CANCELED = "57014";
    private static final int MARIADB_TIMEOUT = 1969;

    private final Flavor flavor;
    private final StringBuilder text = new StringBuilder();
    private final List<@Nullable Object> parameters = new ArrayList<>();

    public Sql(Flavor flavor, String text, @Nullable Object... parameters) {
        this.flavor = flavor;
        add(text, parameters);
    }

    /** Appends text with one parameter for each of its question marks. */
    public Sql add(String more, @Nullable Object... values) {
        text.append(more);
        parameters.addAll(Arrays.asList(values));
        return this;
    }

    /** Question marks for a list, in parentheses. */
    public Sql addList(Collection<?> values) {
        text.append(Stream.generate(() -> "?").limit(values.size()).collect(Collectors.joining(", ", "(", ")")));
        parameters.addAll(values);
        return this;
    }

    public <T> List<T> query(Connection conn, RowMapper<? extends T> mapper) throws SQLException {
        try (PreparedStatement statement = prepare(conn);
                ResultSet rows = statement.executeQuery()) {
            List<T> result = new ArrayList<>();
            while (rows.next()) {
                result.add(mapper.map(rows));
            }
            return result;
        } catch (SQLException e) {
            throw translated(e);
        }
    }

    /** The first row, or {@code null} if there is none. */
    public <T> @Nullable T first(Connection conn, RowMapper<? extends T> mapper) throws SQLException {
        List<T> rows = query(conn, mapper);
        return rows.isEmpty() ? null : rows.get(0);
    }

    /** Called for each column of the result; the first is 1. */
    @FunctionalInterface
    public interface ColumnTest {
        boolean test(ResultSetMetaData columns, int index) throws SQLException;
    }

    /** The columns that pass the test, by their index. */
    public List<Integer> columns(Connection conn, ColumnTest test) throws SQLException {
        try (PreparedStatement statement = prepare(conn);
                ResultSet rows = statement.executeQuery()) {
            ResultSetMetaData columns = rows.getMetaData();
            List<Integer> passed = new ArrayList<>();
            for (int i = 1; i <= columns.getColumnCount(); i++) {
                if (test.test(columns, i)) {
                    passed.add(i);
                }
            }
            return passed;
        }
    }

    /** @return how many rows changed */
    public int update(Connection conn) throws SQLException {
        try (PreparedStatement statement = prepare(conn)) {
            return statement.executeUpdate();
        } catch (SQLException e) {
            throw translated(e);
        }
    }

    private PreparedStatement prepare(Connection conn) throws SQLException {
        PreparedStatement statement = conn.prepareStatement(text.toString());
        statement.setQueryTimeout(TIMEOUT_SECONDS);
        for (int i = 0; i < parameters.size(); i++) {
            Object value = parameters.get(i);
            if (value instanceof Instant time) {
                flavor.bind(statement, i + 1, time);
            } else {
                statement.setObject(i + 1, value);
            }
        }
        return statement;
    }

    private static SQLException translated(SQLException e) {
        boolean timeout = e instanceof SQLTimeoutException
                || POSTGRES_CANCELED.equals(e.getSQLState())
                || e.getErrorCode() == MARIADB_TIMEOUT;
        return timeout ? new SQLTimeoutException("the query took longer than " + TIMEOUT_SECONDS + " s", e) : e;
    }
}
