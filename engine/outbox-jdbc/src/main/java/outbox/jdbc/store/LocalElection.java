package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import outbox.spi.ConnectionProvider;
import outbox.spi.Election;
import outbox.spi.UnitOfWork;

/**
 * H2 only has row locks, and its databases nearly always belong to one process: the election is among the nodes of this
 * process. Thread-safe.
 */
final class LocalElection implements Election {
    private static final Set<UUID> TAKEN = ConcurrentHashMap.newKeySet();

    private final String table;

    LocalElection(String table) {
        this.table = table;
    }

    @Override
    public <T> Optional<T> run(ConnectionProvider connections, String duty, UnitOfWork.Work<T> work)
            throws SQLException {
        try (Connection conn = connections.getConnection()) {
            UUID name = LockName.of(conn.getMetaData().getURL(), table, duty);
            if (!TAKEN.add(name)) {
                return Optional.empty();
            }
            try {
                return Optional.of(UnitOfWork.run(conn, work));
            } finally {
                TAKEN.remove(name);
            }
        }
    }
}
