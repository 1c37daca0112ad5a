package outbox.dispatch;

import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

/**
 * Doubles the delay with each attempt up to a cap, then spreads it by a random factor between 0.5 and 1.5 so that
 * events that failed together do not come back together. Thread-safe.
 */
public final class ExponentialBackoffRetryPolicy implements RetryPolicy {
    /** Delay after the first failure where nothing else is configured. */
    public static final long DEFAULT_BASE_DELAY_MS = 200;
    /** Cap where nothing else is configured. */
    public static final long DEFAULT_MAX_DELAY_MS = 60_000;

    private final long baseDelayMs;
    private final long maxDelayMs;
    private final DoubleSupplier random;

    public ExponentialBackoffRetryPolicy(long baseDelayMs, long maxDelayMs) {
        this(baseDelayMs, maxDelayMs, () -> ThreadLocalRandom.current().nextDouble());
    }

    ExponentialBackoffRetryPolicy(long baseDelayMs, long maxDelayMs, DoubleSupplier random) {
        if (baseDelayMs <= 0) {
            throw new IllegalArgumentException("baseDelayMs must be positive: " + baseDelayMs);
        }
        if (maxDelayMs < baseDelayMs) {
            throw new IllegalArgumentException(
                    "maxDelayMs " + maxDelayMs + " must not be smaller than baseDelayMs " + baseDelayMs);
        }
        this.baseDelayMs = baseDelayMs;
        this.maxDelayMs = maxDelayMs;
        this.random = random;
    }

    @Override
    public long computeDelayMs(int attempts) {
        int doublings = Math.max(0, attempts - 1);
        boolean capped = doublings >= 63 || baseDelayMs > maxDelayMs >> doublings;
        long delay = capped ? maxDelayMs : baseDelayMs << doublings;
        return Math.round(delay * (0.5 + random.getAsDouble()));
    }
}
