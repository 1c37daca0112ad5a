package outbox.spring.boot;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.util.unit.DataSize;
import outbox.cdc.CdcRelayBuilder;
import outbox.cdc.StartFrom;
import outbox.dispatch.OutboxDispatcher;
import outbox.listener.RetryPreset;

/** Delivery by CDC; only used with {@code outbox-cdc}. */
@ConfigurationProperties("outbox.cdc")
public class CdcProperties {
    /**
     * Whether this application delivers events that it reads from the database's log. Requires
     * outbox.mode=writer-only.
     */
    private boolean enabled;

    /** JDBC URL with one host and one database. Default: that of the data source. */
    private @Nullable String url;

    /** User with the right to read the log. Default: that of the data source. */
    private @Nullable String username;

    /** Password of that user. Default: that of the data source. */
    private @Nullable String password;

    /**
     * Name of the relay, its replication slot and its publication. Of several nodes with the same name one is active.
     */
    private String name = CdcRelayBuilder.DEFAULT_NAME;

    /** Which events to deliver on the first start. */
    private StartFrom startFrom = StartFrom.PENDING_ROWS;

    /** Number of listeners that run at the same time. */
    private int workers = OutboxDispatcher.DEFAULT_WORKER_COUNT;

    /** Maximum number of changes that are delivered before the offset is stored. */
    private int batchSize = CdcRelayBuilder.DEFAULT_BATCH_SIZE;

    private final Retry retry = new Retry();

    /** Whether to store undeliverable events in the table outbox_cdc_dead. If not, they block all later events. */
    private boolean deadLetters = true;

    /** Interval at which the offset advances while no events are written. */
    private Duration heartbeat = CdcRelayBuilder.DEFAULT_HEARTBEAT;

    /** Delay before the relay reconnects to the log or tries again to become the active node. */
    private Duration retryInterval = CdcRelayBuilder.DEFAULT_RETRY_INTERVAL;

    /** Size of the log retained for the relay above which a warning is logged. */
    private DataSize warnAboveRetained = DataSize.ofBytes(CdcRelayBuilder.DEFAULT_WARN_BYTES);

    /** Additional settings of the Debezium connector, for example [database.sslmode]. */
    private Map<String, String> debezium = new LinkedHashMap<>();

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public @Nullable String getUrl() {
        return url;
    }

    public void setUrl(@Nullable String url) {
        this.url = url;
    }

    public @Nullable String getUsername() {
        return username;
    }

    public void setUsername(@Nullable String username) {
        this.username = username;
    }

    public @Nullable String getPassword() {
        return password;
    }

    public void setPassword(@Nullable String password) {
        this.password = password;
    }

    public String getName() {
        return name;
    }

    public void setName(String name) {
        this.name = name;
    }

    public StartFrom getStartFrom() {
        return startFrom;
    }

    public void setStartFrom(StartFrom startFrom) {
        this.startFrom = startFrom;
    }

    public int getWorkers() {
        return workers;
    }

    public void setWorkers(int workers) {
        this.workers = workers;
    }

    public int getBatchSize() {
        return batchSize;
    }

    public void setBatchSize(int batchSize) {
        this.batchSize = batchSize;
    }

    public Retry getRetry() {
        return retry;
    }

    public boolean isDeadLetters() {
        return deadLetters;
    }

    public void setDeadLetters(boolean deadLetters) {
        this.deadLetters = deadLetters;
    }

    public Duration getHeartbeat() {
        return heartbeat;
    }

    public void setHeartbeat(Duration heartbeat) {
        this.heartbeat = heartbeat;
    }

    public Duration getRetryInterval() {
        return retryInterval;
    }

    public void setRetryInterval(Duration retryInterval) {
        this.retryInterval = retryInterval;
    }

    public DataSize getWarnAboveRetained() {
        return warnAboveRetained;
    }

    public void setWarnAboveRetained(DataSize warnAboveRetained) {
        this.warnAboveRetained = warnAboveRetained;
    }

    public Map<String, String> getDebezium() {
        return debezium;
    }

    public void setDebezium(Map<String, String> debezium) {
        this.debezium = debezium;
    }

    /** Retries of events that the relay could not deliver. */
    public static class Retry {
        /** Named retry schedule: it sets the delays between attempts and their number. */
        private RetryPreset preset = RetryPreset.RELAY;

        public RetryPreset getPreset() {
            return preset;
        }

        public void setPreset(RetryPreset preset) {
            this.preset = preset;
        }
    }
}
