package outbox.domain.handler;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import outbox.dispatch.ExponentialBackoffRetryPolicy;
import outbox.dispatch.RetryPolicy;
import outbox.listener.RetryPreset;

/**
 * Delays and maximum number of attempts.
 *
 * @param policy the delay after each failure
 * @param maxAttempts maximum number of calls for one event, including the first
 */
public record RetryRule(RetryPolicy policy, int maxAttempts) {
    /** The default rule of handlers. */
    public static final RetryRule DEFAULT = of(RetryPreset.QUICK);

    /** For recovery work: every 30 s, 36 attempts. */
    public static final RetryRule RECOVERY = of(RetryPreset.RECOVERY);

    public RetryRule {
        Objects.requireNonNull(policy, "policy");
        if (maxAttempts <= 0) {
            throw new IllegalArgumentException("maxAttempts must be positive: " + maxAttempts);
        }
    }

    public static RetryRule of(RetryPreset preset) {
        return new RetryRule(preset.policy(), preset.maxAttempts());
    }

    /** Exponential backoff from {@code baseMs} to {@code maxMs}, with jitter. */
    public static RetryRule exponential(long baseMs, long maxMs, int maxAttempts) {
        return new RetryRule(new ExponentialBackoffRetryPolicy(baseMs, maxMs), maxAttempts);
    }

    public RetryRule withMaxAttempts(int attempts) {
        return new RetryRule(policy, attempts);
    }

    /** The predefined rules of {@link EventHandler#retry()}: presets in lower case. */
    static Map<String, RetryRule> named() {
        Map<String, RetryRule> rules = new HashMap<>();
        for (RetryPreset preset : RetryPreset.values()) {
            rules.put(preset.name().toLowerCase(Locale.ROOT), of(preset));
        }
        return rules;
    }
}
