package outbox.domain.handler;

import java.util.Map;
import java.util.Objects;
import outbox.dispatch.ExponentialBackoffRetryPolicy;
import outbox.dispatch.OutboxDispatcher;
import outbox.dispatch.RetryPolicy;

/**
 * When to try again and how often at most.
 *
 * @param policy the delay after each failure
 * @param maxAttempts calls for one event, the first included
 */
public record RetryRule(RetryPolicy policy, int maxAttempts) {
    /** The engine's: from 200 ms to 60 s, 10 attempts. */
    public static final RetryRule DEFAULT = exponential(
            ExponentialBackoffRetryPolicy.DEFAULT_BASE_DELAY_MS,
            ExponentialBackoffRetryPolicy.DEFAULT_MAX_DELAY_MS,
            OutboxDispatcher.DEFAULT_MAX_ATTEMPTS);

    /** For calls to other systems: from 30 s, doubling, given up after 5 attempts. */
    public static final RetryRule DISPATCH = exponential(30_000, 3_600_000, 5);

    /** For a relay that polls: from 1 s to 300 s, 10 attempts. */
    public static final RetryRule RELAY = exponential(1_000, 300_000, OutboxDispatcher.DEFAULT_MAX_ATTEMPTS);

    /** For work a recovery job would repeat: every 30 s, 36 attempts. */
    public static final RetryRule RECOVERY = new RetryRule(attempts -> 30_000, 36);

    /** The presets by the names that {@link EventHandler#retry()} knows. */
    static final Map<String, RetryRule> PRESETS =
            Map.of("default", DEFAULT, "dispatch", DISPATCH, "relay", RELAY, "recovery", RECOVERY);

    public RetryRule {
        Objects.requireNonNull(policy, "policy");
        if (maxAttempts <= 0) {
            throw new IllegalArgumentException("maxAttempts must be positive: " + maxAttempts);
        }
    }

    /** Doubles the delay from {@code baseMs} up to {@code maxMs}, spread by a random factor. */
    public static RetryRule exponential(long baseMs, long maxMs, int maxAttempts) {
        return new RetryRule(new ExponentialBackoffRetryPolicy(baseMs, maxMs), maxAttempts);
    }

    public RetryRule withMaxAttempts(int attempts) {
        return new RetryRule(policy, attempts);
    }
}
