package outbox.cdc;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Status of a relay.
 *
 * @param lag time since the commit of the oldest event in flight; zero if there is none. While the log cannot be read,
 *     the time since then, because events committed meanwhile are waiting
 * @param retainedBytes size of the log the database retains for this relay; -1 if not known yet
 * @param warning why the retained log may fill the disk or be removed before it is read; {@code null} if there is no
 *     problem
 * @param lastError why the relay last stopped reading; {@code null} if it reads
 */
public record CdcStatus(
        State state,
        Duration lag,
        long retainedBytes,
        @Nullable String warning,
        @Nullable String lastError) {

    /** What a relay is doing. */
    public enum State {
        /** Not started yet, or closed. */
        STOPPED,
        /** Another process reads the log under this name; this one takes over when it ends. */
        STANDBY,
        /**
         * Connects and waits for the first record of the log. At a first start it also delivers the pending rows of the
         * table, which can take a while; events committed meanwhile follow, unless their rows are deleted.
         */
        STARTING,
        /**
         * Reads the log and delivers: the database has sent the first record, and every event committed from now on is
         * delivered, even after a crash.
         */
        RUNNING,
        /** Could not read the log; retries soon. */
        FAILING
    }
}
