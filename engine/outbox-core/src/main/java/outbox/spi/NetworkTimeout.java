package outbox.spi;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A limit on how long the driver waits for an answer of the database, until its {@link #end}. Without one, a
 * connection to a server that froze, or to a machine that vanished, waits until the operating system gives up, which
 * takes minutes or for ever. After the limit the statement fails and its connection is closed by the driver.
 */
final class NetworkTimeout {
    private static final Duration LONGEST = Duration.ofMillis(Integer.MAX_VALUE);
    private static final NetworkTimeout NONE = new NetworkTimeout(null, 0);

    private final @Nullable Connection conn;
    private final int former;

    private NetworkTimeout(@Nullable Connection conn, int former) {
        this.conn = conn;
        this.former = former;
    }

    /**
     * Leaves a shorter limit that the URL or the pool has set. A driver that has no such limit is used without.
     *
     * @param limit zero for none
     */
    static NetworkTimeout on(Connection conn, Duration limit) {
        if (limit.isZero()) {
            return NONE;
        }
        int millis = limit.compareTo(LONGEST) < 0 ? (int) Math.max(1, limit.toMillis()) : Integer.MAX_VALUE;
        try {
            int former = conn.getNetworkTimeout();
            if (former > 0 && former <= millis) {
                return NONE;
            }
            conn.setNetworkTimeout(Runnable::run, millis);
            return new NetworkTimeout(conn, former);
        } catch (SQLException | RuntimeException | AbstractMethodError e) {
            return NONE; // not supported, or the connection is broken: its first statement will tell
        }
    }

    /** Restores the former limit: the connection may go back to a pool. */
    void end() {
        if (conn == null) {
            return;
        }
        try {
            conn.setNetworkTimeout(Runnable::run, former);
        } catch (SQLException | RuntimeException e) {
            // the connection is broken, which its pool finds out by itself; what was done on it stays done
        }
    }
}
