package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import outbox.jdbc.JdbcTemplate;
import outbox.spi.ConnectionProvider;
import outbox.spi.Election;
import outbox.spi.UnitOfWork;

/**
 * PostgreSQL: the elected node holds a transaction-level advisory lock, so that nothing is left behind with a
 * connection pooler that assigns sessions per transaction. Immutable, thread-safe.
 */
final class AdvisoryLockElection implements Election {
    /** Locks are global to the database, and a table may exist in several schemas: uses the one on the search path. */
    private static final String TRY_LOCK =
            "SELECT pg_try_advisory_xact_lock(hashtextextended(?, COALESCE(to_regclass(?)::oid::bigint, 0)))";

    private final String table;

    AdvisoryLockElection(String table) {
        this.table = table;
    }

    @Override
    public <T> Optional<T> run(ConnectionProvider connections, String duty, UnitOfWork.Work<T> work)
            throws SQLException {
        return UnitOfWork.run(
                connections, conn -> isElected(conn, duty) ? Optional.of(work.on(conn)) : Optional.empty());
    }

    private boolean isElected(Connection conn, String duty) throws SQLException {
        return JdbcTemplate.query(
                        conn,
                        TRY_LOCK,
                        statement -> {
                            statement.setString(1, LockName.of(table, duty).toString());
                            statement.setString(2, table);
                        },
                        row -> row.getBoolean(1))
                .get(0);
    }
}
