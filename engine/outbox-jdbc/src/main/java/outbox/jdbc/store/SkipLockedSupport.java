package outbox.jdbc.store;

import java.sql.SQLException;
import java.util.Set;

/** Remembers whether a server of the MySQL family understands {@code SKIP LOCKED}. Thread-safe. */
final class SkipLockedSupport {
    /** Syntax error; not supported yet. */
    private static final Set<Integer> UNSUPPORTED = Set.of(1064, 1235);

    private volatile boolean supported = true;

    /** Runs the first work, and once the server rejected its syntax, the second one. */
    <T> T run(OwnTransaction.Work<T> skipping, OwnTransaction.Work<T> waiting) throws SQLException {
        if (supported) {
            try {
                return skipping.run();
            } catch (SQLException e) {
                if (!UNSUPPORTED.contains(e.getErrorCode())) {
                    throw e;
                }
                supported = false;
            }
        }
        return waiting.run();
    }
}
