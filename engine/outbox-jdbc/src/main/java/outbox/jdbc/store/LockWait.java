package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import outbox.jdbc.JdbcTemplate;

/** How long InnoDB waits for a row that another transaction has locked. */
final class LockWait {
    private static final int BRIEF_SECONDS = 2;

    private LockWait() {}

    /** Runs the work with a short wait, and gives the session of the pool its own wait back. */
    static <T> T brief(Connection conn, OwnTransaction.Work<T> work) throws SQLException {
        int seconds = JdbcTemplate.query(
                        conn,
                        "SELECT @@SESSION.innodb_lock_wait_timeout",
                        JdbcTemplate.Binder.NOTHING,
                        row -> row.getInt(1))
                .get(0);
        if (seconds <= BRIEF_SECONDS) {
            return work.run();
        }
        set(conn, BRIEF_SECONDS);
        T result;
        try {
            result = work.run();
        } catch (SQLException | RuntimeException | Error e) {
            try {
                set(conn, seconds);
            } catch (SQLException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
        set(conn, seconds);
        return result;
    }

    private static void set(Connection conn, int seconds) throws SQLException {
        JdbcTemplate.update(conn, "SET SESSION innodb_lock_wait_timeout = " + seconds, JdbcTemplate.Binder.NOTHING);
    }
}
