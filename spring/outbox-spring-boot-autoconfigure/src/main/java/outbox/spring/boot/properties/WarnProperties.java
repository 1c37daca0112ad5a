package outbox.spring.boot.properties;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Warnings about dead events. */
public class WarnProperties {
    /** Whether this application looks for dead events by itself. If not, a scheduler from outside calls OutboxRelay. */
    private boolean enabled = true;

    /** How often to look for them. */
    private Duration interval = Duration.ofMinutes(2);

    /** Looks at these times instead of at the interval; six fields, as in @Scheduled. */
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
