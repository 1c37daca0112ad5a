package outbox.domain.handler;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.util.FailureText;

/** What one handler has to say about one event at the end of a pass. */
sealed interface HandlerResult {
    /** Consumed. */
    record Done() implements HandlerResult {}

    /** Failed, to be tried again. */
    record Retry(Duration delay, String summary, Throwable error) implements HandlerResult {}

    /**
     * Given up.
     *
     * @param error {@code null} if that was in an earlier pass
     * @param earlier the error of that pass, as it was stored
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

        /** What led to it, now or earlier. */
        @Nullable
        Throwable cause() {
            return error != null || earlier == null ? error : new FailureText.Earlier(earlier);
        }
    }

    /** Not tried, or tried without a way to remember it: nothing is counted. */
    record Postponed(
            Duration delay, String summary, @Nullable Throwable cause) implements HandlerResult {}

    HandlerResult DONE = new Done();
}
