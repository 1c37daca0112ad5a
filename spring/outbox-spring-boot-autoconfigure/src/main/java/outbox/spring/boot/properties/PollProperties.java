package outbox.spring.boot.properties;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.OutboxBuilder;

/** Polling of the table. */
public class PollProperties {
    /** Whether this application polls the table. If not, call OutboxRelay.recoverOnce() from a scheduler. */
    private boolean enabled = true;

    /** Delay before the next poll after a poll that found no more due events. */
    private Duration interval = OutboxBuilder.DEFAULT_POLL_INTERVAL;

    /** Cron expression for polling, used instead of the interval. Six fields, as in @Scheduled. */
    private @Nullable String cron;

    /** Maximum number of rows that one poll claims. */
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
