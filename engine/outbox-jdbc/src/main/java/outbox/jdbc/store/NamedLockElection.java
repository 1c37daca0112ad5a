package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import outbox.jdbc.JdbcTemplate;
import outbox.spi.ConnectionProvider;
import outbox.spi.Election;
import outbox.spi.UnitOfWork;

/**
 * MySQL and MariaDB: the elected node holds a named lock, which belongs to the session and survives the implicit
 * commits of DDL. The work runs at READ COMMITTED: the gap locks of REPEATABLE READ would block settlements and
 * writers. Immutable, thread-safe.
 */
final class NamedLockElection implements Election {
    private static final String TRY_LOCK = "SELECT GET_LOCK(?, 0)";
    private static final String UNLOCK = "SELECT RELEASE_LOCK(?)";
    /** Only for the next transaction. */
    private static final String READ_COMMITTED = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED";

    private final String table;

    NamedLockElection(String table) {
        this.table = table;
    }

    @Override
    public <T> Optional<T> run(ConnectionProvider connections, String duty, UnitOfWork.Work<T> work)
            throws SQLException {
        try (Connection conn = connections.getConnection()) {
            // Lock names are global to the server, and a table may exist in several databases.
            String name = LockName.of(Objects.requireNonNullElse(conn.getCatalog(), ""), table, duty)
                    .toString();
            if (!ask(conn, TRY_LOCK, name)) {
                return Optional.empty();
            }
            Optional<T> result;
            try {
                result = Optional.of(UnitOfWork.run(conn, own -> {
                    JdbcTemplate.update(own, READ_COMMITTED, JdbcTemplate.Binder.NOTHING);
                    return work.on(own);
                }));
            } catch (SQLException | RuntimeException | Error e) {
                try {
                    ask(conn, UNLOCK, name);
                } catch (SQLException suppressed) {
                    e.addSuppressed(suppressed);
                }
                throw e;
            }
            ask(conn, UNLOCK, name);
            return result;
        }
    }

    private static boolean ask(Connection conn, String sql, String name) throws SQLException {
        List<Boolean> answers =
                JdbcTemplate.query(conn, sql, statement -> statement.setString(1, name), row -> row.getInt(1) == 1);
        return answers.get(0);
    }
}
