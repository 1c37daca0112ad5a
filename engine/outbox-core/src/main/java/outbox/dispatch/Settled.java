package outbox.dispatch;

import org.jspecify.annotations.Nullable;

/**
 * What became of an outcome that was to be written.
 *
 * @param refusal why the database does not write it, for {@link Result#REFUSED}
 */
record Settled(Outcome outcome, Result result, @Nullable Throwable refusal) {
    enum Result {
        /** Its row is written. */
        WRITTEN,
        /** Its row has another lease by now, and nothing was written. */
        LOST,
        /** This node claimed the row again before a failure could be written: the newer delivery decides. */
        SUPERSEDED,
        /** It cannot be written. Its event is delivered again when the lease is over. */
        ABANDONED,
        /** The database refuses it in every form. It is tried again at long intervals, and nothing waits for it. */
        KEPT,
        /** The database refuses to write this success: {@link RefusedOutcomes#writeInstead} is to be told what to write. */
        REFUSED
    }

    Settled(Outcome outcome, Result result) {
        this(outcome, result, null);
    }
}
