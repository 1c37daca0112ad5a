package outbox.spi;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;

/**
 * One attempt that failed.
 *
 * @param attempt 1 for the first
 * @param owner the node and its incarnation, as in {@code locked_by}; {@code null} where rows are not leased
 * @param duration how long the listener ran; {@code null} if it was not called
 * @param error what it threw
 * @param outcome {@link Settlement.Retry} or {@link Settlement.Dead}
 */
public record FailedDelivery(
        EventEnvelope event,
        int attempt,
        @Nullable String owner,
        @Nullable Duration duration,
        Throwable error,
        Settlement outcome) {}
