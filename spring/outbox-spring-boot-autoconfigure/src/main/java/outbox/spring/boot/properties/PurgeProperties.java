package outbox.spring.boot.properties;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.purge.OutboxPurgeScheduler;

/** Deletion of old rows. */
public class PurgeProperties {
    /** Whether this application deletes delivered events and dead letters after their retention. */
    private boolean enabled = true;

    /** How long to keep delivered events. */
    private Duration retention = OutboxPurgeScheduler.DEFAULT_RETENTION;

    /**
     * How long to keep dead letters after they died. Default: 30 days, or the retention of delivered events if that is longer.
     */
    private @Nullable Duration deadRetention;

    /** Interval between purges. */
    private Duration interval = Duration.ofSeconds(OutboxPurgeScheduler.DEFAULT_INTERVAL_SECONDS);

    /** Whether to delete rows by their age alone, delivered or not. For tables that are read by CDC only. */
    private boolean byAgeAlone;

    public boolean isByAgeAlone() {
        return byAgeAlone;
    }

    public void setByAgeAlone(boolean byAgeAlone) {
        this.byAgeAlone = byAgeAlone;
    }

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public Duration getRetention() {
        return retention;
    }

    public void setRetention(Duration retention) {
        this.retention = retention;
    }

    public @Nullable Duration getDeadRetention() {
        return deadRetention;
    }

    public void setDeadRetention(@Nullable Duration deadRetention) {
        this.deadRetention = deadRetention;
    }

    public Duration getInterval() {
        return interval;
    }

    public void setInterval(Duration interval) {
        this.interval = interval;
    }
}
