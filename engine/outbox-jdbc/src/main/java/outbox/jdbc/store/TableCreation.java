package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import outbox.spi.ConnectionProvider;
import outbox.spi.Election;

/**
 * Creates missing tables while other nodes may be doing the same: one node creates them, the others wait and find them.
 * Stateless, thread-safe.
 */
public final class TableCreation {
    private static final String DUTY = "create tables";
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final long PAUSE_MILLIS = 50;
    private static final int MAX_COLLISIONS = 5;

    /** PostgreSQL, twice, as a table is also a row of pg_type; MySQL, MariaDB and H2. */
    private static final Set<String> EXISTS_ALREADY = Set.of("42P07", "23505", "42S01");

    private TableCreation() {}

    /** Creates tables for which {@link #isMissing} is true. */
    @FunctionalInterface
    public interface Work {
        void create(Connection connection) throws SQLException;
    }

    /**
     * Runs {@code work} while no other node runs it on the same database.
     *
     * @throws SQLException if it fails, or another node has been creating tables for two minutes
     */
    public static void run(ConnectionProvider connections, Election election, Work work) throws SQLException {
        long start = System.nanoTime();
        int collisions = 0;
        while (true) {
            try {
                boolean done = election.run(connections, DUTY, connection -> {
                            work.create(connection);
                            return true;
                        })
                        .isPresent();
                if (done) {
                    return;
                }
            } catch (SQLException e) {
                // Created outside of the election: by a migration, or by a node that started before the table existed.
                if (!EXISTS_ALREADY.contains(String.valueOf(e.getSQLState())) || ++collisions > MAX_COLLISIONS) {
                    throw e;
                }
            }
            if (System.nanoTime() - start > PATIENCE.toNanos()) {
                throw new SQLTimeoutException("another node has been creating tables for " + PATIENCE.toSeconds()
                        + " s, longer than this node waits; restart this node when that node is ready");
            }
            pause();
        }
    }

    private static void pause() throws SQLException {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLTimeoutException("interrupted while waiting for another node to create tables", e);
        }
    }

    /** Whether a table is missing; does not abort a transaction on PostgreSQL, as a failing query would. */
    public static boolean isMissing(Connection connection, String table) throws SQLException {
        if (connection.getAutoCommit()) {
            return !JdbcOutboxStores.hasTable(connection, table);
        }
        Savepoint before = connection.setSavepoint();
        try {
            return !JdbcOutboxStores.hasTable(connection, table);
        } finally {
            connection.rollback(before);
        }
    }

    /**
     * Runs the statements of one table.
     *
     * @throws IllegalStateException if the table was created, but an index of it was not
     */
    public static void execute(Connection connection, List<String> statements) throws SQLException {
        boolean began = false;
        for (String sql : statements) {
            try (Statement statement = connection.createStatement()) {
                statement.execute(sql);
                began = true;
            } catch (SQLException e) {
                if (!began) {
                    throw e;
                }
                throw new IllegalStateException(
                        "a table was created, but not completely: " + sql + " failed (" + e.getMessage()
                                + "). An index of that name may belong to another table, such as an older one that was"
                                + " renamed: rename that index, then run the statement and the following ones manually",
                        e);
            }
        }
    }
}
