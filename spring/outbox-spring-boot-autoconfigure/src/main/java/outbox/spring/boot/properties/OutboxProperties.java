package outbox.spring.boot.properties;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import outbox.idempotency.jdbc.JdbcEventConsumptionTracker;
import outbox.jdbc.TableNames;

/** Everything under {@code outbox.*}. Defaults are those of the builders. */
@ConfigurationProperties("outbox")
public class OutboxProperties {
    /** Whether to auto-configure the outbox. */
    private boolean enabled = true;

    /** Whether delivery starts with the application. If not, it starts with ApplicationContext.start(). */
    private boolean autoStartup = true;

    /** How this application uses the outbox table: which nodes deliver, and in which order. */
    private Mode mode = Mode.MULTI_NODE;

    /** Where domain events are published to. */
    private Publisher publisher = Publisher.TRANSACTIONAL;

    /** Name of the outbox table, as table or schema.table. */
    private String table = TableNames.DEFAULT_TABLE;

    /** Name of the table with the progress of handlers. Each outbox table needs its own. */
    private String consumptionTable = JdbcEventConsumptionTracker.DEFAULT_TABLE;

    /**
     * Name of the DataSource bean whose database holds the table. Required with several data sources and no primary
     * one.
     */
    private @Nullable String dataSource;

    /**
     * Whether to accept an AbstractRoutingDataSource. Safe only if all threads are routed to the database with the
     * outbox table.
     */
    private boolean allowRoutingDataSource;

    /** Name of the transaction manager bean for that data source. Default: the one that manages it. */
    private @Nullable String transactionManager;

    /** Name of this node, the first part of the column locked_by. Default: host name and process id. */
    private @Nullable String nodeId;

    /** Named outboxes for several data sources. If any is configured, there is no unnamed outbox. */
    private Map<String, InstanceProperties> instances = new LinkedHashMap<>();

    @NestedConfigurationProperty
    private final SchemaProperties schema = new SchemaProperties();

    @NestedConfigurationProperty
    private final WriteProperties write = new WriteProperties();

    @NestedConfigurationProperty
    private final ClaimCheckProperties claimCheck = new ClaimCheckProperties();

    @NestedConfigurationProperty
    private final DispatchProperties dispatch = new DispatchProperties();

    @NestedConfigurationProperty
    private final RetryProperties retry = new RetryProperties();

    @NestedConfigurationProperty
    private final PollProperties poll = new PollProperties();

    @NestedConfigurationProperty
    private final PurgeProperties purge = new PurgeProperties();

    @NestedConfigurationProperty
    private final PartitionProperties partitions = new PartitionProperties();

    @NestedConfigurationProperty
    private final ArchiveProperties archive = new ArchiveProperties();

    @NestedConfigurationProperty
    private final FailureAlertProperties failureAlerts = new FailureAlertProperties();

    @NestedConfigurationProperty
    private final HandlerProperties handlers = new HandlerProperties();

    @NestedConfigurationProperty
    private final EventProperties events = new EventProperties();

    @NestedConfigurationProperty
    private final HeaderProperties headers = new HeaderProperties();

    @NestedConfigurationProperty
    private final SpringEventProperties springEvents = new SpringEventProperties();

    @NestedConfigurationProperty
    private final RedisProperties redis = new RedisProperties();

    @NestedConfigurationProperty
    private final MetricsProperties metrics = new MetricsProperties();

    @NestedConfigurationProperty
    private final TracingProperties tracing = new TracingProperties();

    /** How an application uses the table. */
    public enum Mode {
        /**
         * The only process that delivers; on startup it immediately reclaims events leased by its previous incarnation.
         */
        SINGLE_NODE,
        /** One of any number of processes. */
        MULTI_NODE,
        /** One of any number of processes that keep the order of each aggregate; the table needs the column seq. */
        ORDERED,
        /** Only writes events, does not deliver. */
        WRITER_ONLY
    }

    /** Where published events go. */
    public enum Publisher {
        /** To the table, in the transaction of the caller. */
        TRANSACTIONAL,
        /** To the handlers, at once, without a table: for development and tests. */
        IN_MEMORY
    }

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public boolean isAutoStartup() {
        return autoStartup;
    }

    public void setAutoStartup(boolean autoStartup) {
        this.autoStartup = autoStartup;
    }

    public Mode getMode() {
        return mode;
    }

    public void setMode(Mode mode) {
        this.mode = mode;
    }

    public Publisher getPublisher() {
        return publisher;
    }

    public void setPublisher(Publisher publisher) {
        this.publisher = publisher;
    }

    public String getTable() {
        return table;
    }

    public void setTable(String table) {
        this.table = table;
    }

    public String getConsumptionTable() {
        return consumptionTable;
    }

    public void setConsumptionTable(String consumptionTable) {
        this.consumptionTable = consumptionTable;
    }

    public @Nullable String getDataSource() {
        return dataSource;
    }

    public void setDataSource(@Nullable String dataSource) {
        this.dataSource = dataSource;
    }

    public boolean isAllowRoutingDataSource() {
        return allowRoutingDataSource;
    }

    public void setAllowRoutingDataSource(boolean allowRoutingDataSource) {
        this.allowRoutingDataSource = allowRoutingDataSource;
    }

    public @Nullable String getTransactionManager() {
        return transactionManager;
    }

    public void setTransactionManager(@Nullable String transactionManager) {
        this.transactionManager = transactionManager;
    }

    public @Nullable String getNodeId() {
        return nodeId;
    }

    public void setNodeId(@Nullable String nodeId) {
        this.nodeId = nodeId;
    }

    public Map<String, InstanceProperties> getInstances() {
        return instances;
    }

    public void setInstances(Map<String, InstanceProperties> instances) {
        this.instances = instances;
    }

    public SchemaProperties getSchema() {
        return schema;
    }

    public WriteProperties getWrite() {
        return write;
    }

    public ClaimCheckProperties getClaimCheck() {
        return claimCheck;
    }

    public DispatchProperties getDispatch() {
        return dispatch;
    }

    public RetryProperties getRetry() {
        return retry;
    }

    public PollProperties getPoll() {
        return poll;
    }

    public PurgeProperties getPurge() {
        return purge;
    }

    public PartitionProperties getPartitions() {
        return partitions;
    }

    public ArchiveProperties getArchive() {
        return archive;
    }

    public FailureAlertProperties getFailureAlerts() {
        return failureAlerts;
    }

    public HandlerProperties getHandlers() {
        return handlers;
    }

    public EventProperties getEvents() {
        return events;
    }

    public HeaderProperties getHeaders() {
        return headers;
    }

    public SpringEventProperties getSpringEvents() {
        return springEvents;
    }

    public RedisProperties getRedis() {
        return redis;
    }

    public MetricsProperties getMetrics() {
        return metrics;
    }

    public TracingProperties getTracing() {
        return tracing;
    }
}
