package outbox.spring.boot.properties;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.purge.OutboxPurgeScheduler;

/** When old rows are deleted. */
public class PurgeProperties {
    /** Whether this application deletes rows that ended. */
    private boolean enabled = true;

    /** How long delivered rows stay after their end. */
    private Duration retention = OutboxPurgeScheduler.DEFAULT_RETENTION;

    /**
     * How long dead letters stay after they died. By default 30 days, or as long as delivered rows if that is longer.
     */
    private @Nullable Duration deadRetention;

    /** How often to look for rows to delete. */
    private Duration interval = Duration.ofSeconds(OutboxPurgeScheduler.DEFAULT_INTERVAL_SECONDS);

    /** Whether rows go by their age alone, delivered or not: for a table that CDC reads. */
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
