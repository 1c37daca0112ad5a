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

/** Delivery from the database's log; nothing of it is there without {@code outbox-cdc}. */
@ConfigurationProperties("outbox.cdc")
public class CdcProperties {
    /** Whether this application delivers what it reads from the database's log. Needs outbox.mode=writer-only. */
    private boolean enabled;

    /** JDBC URL of one host and one database. Default: that of the data source. */
    private @Nullable String url;

    /** User who may read the log. Default: that of the data source. */
    private @Nullable String username;

    /** Password of that user. Default: that of the data source. */
    private @Nullable String password;

    /** Name of the relay, its slot and its publication; nodes with the same name stand in for each other. */
    private String name = CdcRelayBuilder.DEFAULT_NAME;

    /** What a first start begins with. */
    private StartFrom startFrom = StartFrom.PENDING_ROWS;

    /** How many listeners run at a time. */
    private int workers = OutboxDispatcher.DEFAULT_WORKER_COUNT;

    /** How many changes are delivered before the place in the log is written down. */
    private int batchSize = CdcRelayBuilder.DEFAULT_BATCH_SIZE;

    /** A named schedule of retries: delays and attempts. */
    private RetryPreset retry = RetryPreset.RELAY;

    /** Whether events that will not be delivered go to the table outbox_cdc_dead. If not, everything behind them waits. */
    private boolean deadLetters = true;

    /** How often the place in the log moves on while nobody writes events. */
    private Duration heartbeat = CdcRelayBuilder.DEFAULT_HEARTBEAT;

    /** How long to wait before trying again to read the log, or to take over. */
    private Duration retryInterval = CdcRelayBuilder.DEFAULT_RETRY_INTERVAL;

    /** How much log the database may keep for the relay before there is a warning. */
    private DataSize warnAboveRetained = DataSize.ofBytes(CdcRelayBuilder.DEFAULT_WARN_BYTES);

    /** Settings of Debezium's connector, [database.sslmode] for instance. */
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

    public RetryPreset getRetry() {
        return retry;
    }

    public void setRetry(RetryPreset retry) {
        this.retry = retry;
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
}
