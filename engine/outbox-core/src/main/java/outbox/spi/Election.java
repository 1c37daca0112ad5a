package outbox.spi;

import java.sql.SQLException;
import java.util.Optional;

/**
 * Lets one node at a time do what all could do: purging, looking after partitions. Whoever asks first has the duty until
 * its work is done; one that dies loses it with its connection. Thread-safe.
 *
 * <pre>{@code
 * Optional<Integer> purged = election.run(connections, "purge", conn -> purger.purge(conn, before, 500));
 * }</pre>
 */
public interface Election {
    /** Where there are no other nodes, or they may all do it at once: whoever asks is elected. */
    Election UNOPPOSED = new Election() {
        @Override
        public <T> Optional<T> run(ConnectionProvider connections, String duty, UnitOfWork.Work<T> work)
                throws SQLException {
            return Optional.of(UnitOfWork.run(connections, work));
        }
    };

    /**
     * Runs {@code work} in a transaction of its own, if no other node has the same duty now. Does not wait.
     *
     * @param duty a short name; each has a holder of its own
     * @return what the work returned; empty if another node has the duty
     */
    <T> Optional<T> run(ConnectionProvider connections, String duty, UnitOfWork.Work<T> work) throws SQLException;
}
