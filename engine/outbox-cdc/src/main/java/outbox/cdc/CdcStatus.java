package outbox.cdc;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a relay is doing.
 *
 * @param lag how long ago the oldest event was committed that the relay has in hand; zero if it has none. While the log can
 *     not be read, for how long: what was committed since then may wait
 * @param retainedBytes how much log the database keeps for this relay; -1 if it could not be asked yet
 * @param warning why the log may outgrow its disk or be cut off before it is read, or that it was; {@code null} if all is
 *     well
 * @param lastError why the relay last stopped reading; {@code null} if it reads
 */
public record CdcStatus(
        State state,
        Duration lag,
        long retainedBytes,
        @Nullable String warning,
        @Nullable String lastError) {

    /** What a relay does at the moment. */
    public enum State {
        /** Not started yet, or closed. */
        STOPPED,
        /** Another process reads the log under this name; this one takes over when it ends. */
        STANDBY,
        /**
         * Takes its place in the log and waits for the first record from it. At a first start it also delivers the rows
         * that wait in the table, so this can last; what is committed meanwhile comes behind them, as long as its row is
         * not deleted.
         */
        STARTING,
        /**
         * Reads the log and delivers: the database has sent the first record, and whatever is committed from now on comes,
         * also after a crash.
         */
        RUNNING,
        /** Could not read the log, and tries again soon. */
        FAILING
    }
}
