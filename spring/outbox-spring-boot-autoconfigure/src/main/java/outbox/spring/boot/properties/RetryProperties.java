package outbox.spring.boot.properties;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.listener.RetryPreset;

/** Default retries of handlers. */
public class RetryProperties {
    /** Named retry schedule: it sets the delays between attempts and their number. */
    private RetryPreset preset = RetryPreset.QUICK;

    /** Delay after the first failed attempt; it doubles with each further one. Default: that of the preset. */
    private @Nullable Duration baseDelay;

    /** Longest delay between two attempts. Default: that of the preset. */
    private @Nullable Duration maxDelay;

    /** Number of attempts before an event becomes a dead letter. Default: that of the preset. */
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
