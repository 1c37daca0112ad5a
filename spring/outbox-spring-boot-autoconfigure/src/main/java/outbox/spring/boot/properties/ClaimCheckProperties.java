package outbox.spring.boot.properties;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;
import outbox.jdbc.payload.ClaimCheck;
import outbox.jdbc.payload.PayloadSweep;

/** Large payloads beside the event table. */
public class ClaimCheckProperties {
    /**
     * Whether to store large payloads beside the event table. All applications on a table need the same setting.
     */
    private boolean enabled;

    /** Size above which a payload is stored beside its row, up to 1MB. */
    private DataSize threshold = DataSize.ofBytes(ClaimCheck.DEFAULT_THRESHOLD);

    /**
     * Existing directory that all nodes share, for payloads as files. Each outbox table needs its own. If not set, payloads
     * are stored in the table <table>_payload.
     */
    private @Nullable Path directory;

    /** How often payloads whose row is gone are deleted. */
    private Duration sweepInterval = PayloadSweep.DEFAULT_INTERVAL;

    /**
     * Age at which a file that no row refers to is deleted. It must be longer than the longest transaction.
     */
    private Duration orphanAge = PayloadSweep.DEFAULT_ORPHAN_AGE;

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public DataSize getThreshold() {
        return threshold;
    }

    public void setThreshold(DataSize threshold) {
        this.threshold = threshold;
    }

    public @Nullable Path getDirectory() {
        return directory;
    }

    public void setDirectory(@Nullable Path directory) {
        this.directory = directory;
    }

    public Duration getSweepInterval() {
        return sweepInterval;
    }

    public void setSweepInterval(Duration sweepInterval) {
        this.sweepInterval = sweepInterval;
    }

    public Duration getOrphanAge() {
        return orphanAge;
    }

    public void setOrphanAge(Duration orphanAge) {
        this.orphanAge = orphanAge;
    }
}
