package outbox.domain.handler;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import outbox.dispatch.ExponentialBackoffRetryPolicy;
import outbox.dispatch.RetryPolicy;
import outbox.listener.RetryPreset;

/**
 * When to try again and how often at most.
 *
 * @param policy the delay after each failure
 * @param maxAttempts calls for one event, the first included
 */
public record RetryRule(RetryPolicy policy, int maxAttempts) {
    /** What handlers have that say nothing. */
    public static final RetryRule DEFAULT = of(RetryPreset.QUICK);

    /** For work a recovery job would repeat: every 30 s, 36 attempts. */
    public static final RetryRule RECOVERY = new RetryRule(attempts -> 30_000, 36);

    public RetryRule {
        Objects.requireNonNull(policy, "policy");
        if (maxAttempts <= 0) {
            throw new IllegalArgumentException("maxAttempts must be positive: " + maxAttempts);
        }
    }

    public static RetryRule of(RetryPreset preset) {
        return new RetryRule(preset.policy(), preset.maxAttempts());
    }

    /** Doubles the delay from {@code baseMs} up to {@code maxMs}, spread by a random factor. */
    public static RetryRule exponential(long baseMs, long maxMs, int maxAttempts) {
        return new RetryRule(new ExponentialBackoffRetryPolicy(baseMs, maxMs), maxAttempts);
    }

    public RetryRule withMaxAttempts(int attempts) {
        return new RetryRule(policy, attempts);
    }

    /** The rules that {@link EventHandler#retry()} can name without further ado: presets in lower case, and recovery. */
    static Map<String, RetryRule> named() {
        Map<String, RetryRule> rules = new HashMap<>();
        for (RetryPreset preset : RetryPreset.values()) {
            rules.put(preset.name().toLowerCase(Locale.ROOT), of(preset));
        }
        rules.put("recovery", RECOVERY);
        return rules;
    }
}
