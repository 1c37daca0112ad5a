package outbox.spring.boot.properties;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Warnings about dead events. */
public class FailureAlertProperties {
    /**
     * Whether this application looks for dead letters and notifies FailedEventAlert beans. If not, call
     * OutboxRelay.warnFailedOnce() from a scheduler.
     */
    private boolean enabled = true;

    /** Interval between checks for dead letters. */
    private Duration interval = Duration.ofMinutes(2);

    /** Cron expression for the checks, used instead of the interval. Six fields, as in @Scheduled. */
    private @Nullable String cron;

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public Duration getInterval() {
        return interval;
    }

    public void setInterval(Duration interval) {
        this.interval = interval;
    }

    public @Nullable String getCron() {
        return cron;
    }

    public void setCron(@Nullable String cron) {
        this.cron = cron;
    }
}
