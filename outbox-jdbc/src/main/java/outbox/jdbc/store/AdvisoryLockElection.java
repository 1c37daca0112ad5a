package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.UUID;
import outbox.jdbc.JdbcTemplate;
import outbox.spi.ConnectionProvider;
import outbox.spi.Election;
import outbox.spi.UnitOfWork;

/**
 * PostgreSQL: the holder of a duty has an advisory lock, which ends with its transaction. So nothing is left behind where
 * a connection pooler gives each transaction another session. Immutable, thread-safe.
 */
final class AdvisoryLockElection implements Election {
    private static final String TRY_LOCK = "SELECT pg_try_advisory_xact_lock(?)";

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
        UUID key = LockName.of(table, duty);
        return JdbcTemplate.query(
                        conn,
                        TRY_LOCK,
                        statement -> statement.setLong(1, key.getMostSignificantBits()),
                        row -> row.getBoolean(1))
                .get(0);
    }
}
