package outbox.listener;

import outbox.dispatch.ExponentialBackoffRetryPolicy;
import outbox.dispatch.RetryPolicy;

/** Retry schedules that go by a name: delays and the attempt limit that belongs to them. */
public enum RetryPreset {
    /** 200 ms doubling to a minute, 10 attempts: what a dispatcher does by itself; for work inside the process. */
    QUICK(ExponentialBackoffRetryPolicy.DEFAULT_BASE_DELAY_MS, ExponentialBackoffRetryPolicy.DEFAULT_MAX_DELAY_MS, 10),
    /** 1 s doubling to 5 minutes, 10 attempts: for a relay to a broker. */
    RELAY(1_000, 300_000, 10),
    /** 30 s doubling to an hour, 5 attempts: for calls to somebody else's service. */
    OUTBOUND(30_000, 3_600_000, 5),
    /** Every 30 s, 36 attempts, so about 18 minutes: for work that must be recovered soon after an outage. */
    RECOVERY(30_000, 30_000, 36);

    private final long baseDelayMs;
    private final long maxDelayMs;
    private final int maxAttempts;

    RetryPreset(long baseDelayMs, long maxDelayMs, int maxAttempts) {
        this.baseDelayMs = baseDelayMs;
        this.maxDelayMs = maxDelayMs;
        this.maxAttempts = maxAttempts;
    }

    public RetryPolicy policy() {
        return baseDelayMs == maxDelayMs
                ? attempts -> baseDelayMs
                : new ExponentialBackoffRetryPolicy(baseDelayMs, maxDelayMs);
    }

    public long baseDelayMs() {
        return baseDelayMs;
    }

    public long maxDelayMs() {
        return maxDelayMs;
    }

    public int maxAttempts() {
        return maxAttempts;
    }
}
