package outbox.spring.boot.properties;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.OutboxBuilder;

/** When the table is read. */
public class PollProperties {
    /** Whether this application reads the table by itself. If not, a scheduler from outside calls OutboxRelay. */
    private boolean enabled = true;

    /** How long to wait when there was nothing more to read. */
    private Duration interval = OutboxBuilder.DEFAULT_POLL_INTERVAL;

    /** Reads the table at these times instead of at the interval; six fields, as in @Scheduled. */
    private @Nullable String cron;

    /** Rows one claim takes at most. */
    private int batchSize = OutboxBuilder.DEFAULT_CLAIM_SIZE;

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

    public int getBatchSize() {
        return batchSize;
    }

    public void setBatchSize(int batchSize) {
        this.batchSize = batchSize;
    }
}
