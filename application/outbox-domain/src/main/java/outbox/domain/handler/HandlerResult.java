package outbox.domain.handler;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.util.FailureText;

/** The result of one handler for one event at the end of a pass. */
sealed interface HandlerResult {
    /** Consumed. */
    record Done() implements HandlerResult {}

    /** Failed, will be retried. */
    record Retry(Duration delay, String summary, Throwable error) implements HandlerResult {}

    /**
     * Dead: attempts used up, or a final error.
     *
     * @param error {@code null} if it failed in an earlier pass
     * @param earlier the stored error of that pass
     */
    record Dead(
            String summary,
            @Nullable Throwable error,
            @Nullable String earlier) implements HandlerResult {
        Dead(String summary, Throwable error) {
            this(summary, error, null);
        }

        static Dead earlier(String summary, HandlerProgress progress) {
            return new Dead(summary, null, progress.lastError());
        }

        /** The cause, from this pass or an earlier one. */
        @Nullable
        Throwable cause() {
            return error != null || earlier == null ? error : new FailureText.Earlier(earlier);
        }
    }

    /** Not called, or called without being able to store the outcome: no attempt is counted. */
    record Postponed(
            Duration delay, String summary, @Nullable Throwable cause) implements HandlerResult {}

    HandlerResult DONE = new Done();
}
