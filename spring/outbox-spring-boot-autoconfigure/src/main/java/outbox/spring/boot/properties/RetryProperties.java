package outbox.spring.boot.properties;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.listener.RetryPreset;

/** Retries where a handler says nothing else. */
public class RetryProperties {
    /** A named schedule: delays and attempts. */
    private RetryPreset preset = RetryPreset.QUICK;

    /** Delay after the first failure, instead of the preset's; doubles with each one. */
    private @Nullable Duration baseDelay;

    /** Longest delay, instead of the preset's. */
    private @Nullable Duration maxDelay;

    /** Calls of a handler for one event before it is dead, instead of the preset's. */
    private @Nullable Integer maxAttempts;

    public RetryPreset getPreset() {
        return preset;
    }

    public void setPreset(RetryPreset preset) {
        this.preset = preset;
    }

    public @Nullable Duration getBaseDelay() {
        return baseDelay;
    }

    public void setBaseDelay(@Nullable Duration baseDelay) {
        this.baseDelay = baseDelay;
    }

    public @Nullable Duration getMaxDelay() {
        return maxDelay;
    }

    public void setMaxDelay(@Nullable Duration maxDelay) {
        this.maxDelay = maxDelay;
    }

    public @Nullable Integer getMaxAttempts() {
        return maxAttempts;
    }

    public void setMaxAttempts(@Nullable Integer maxAttempts) {
        this.maxAttempts = maxAttempts;
    }
}
