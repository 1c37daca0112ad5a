package outbox.domain.handler;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What one handler has to say about one event at the end of a pass. */
sealed interface HandlerResult {
    /** Consumed. */
    record Done() implements HandlerResult {}

    /** Failed, to be tried again. */
    record Retry(Duration delay, String summary, Throwable error) implements HandlerResult {}

    /** Given up. */
    record Dead(String summary, @Nullable Throwable error) implements HandlerResult {}

    /** Not tried, or tried without a way to remember it: nothing is counted. */
    record Postponed(
            Duration delay, String summary, @Nullable Throwable cause) implements HandlerResult {}

    HandlerResult DONE = new Done();
}
