package outbox.spring.boot.module;

import org.jspecify.annotations.Nullable;
import outbox.listener.RetryPreset;

/** Retries of one route. */
public class RouteRetryProperties {
    /** Named retry schedule: it sets the delays between attempts and their number. */
    private RetryPreset preset = RetryPreset.RELAY;

    /** Number of attempts before an event becomes a dead letter. Default: that of the preset. */
    private @Nullable Integer maxAttempts;

    public RetryPreset getPreset() {
        return preset;
    }

    public void setPreset(RetryPreset preset) {
        this.preset = preset;
    }

    public @Nullable Integer getMaxAttempts() {
        return maxAttempts;
    }

    public void setMaxAttempts(@Nullable Integer maxAttempts) {
        this.maxAttempts = maxAttempts;
    }
}
