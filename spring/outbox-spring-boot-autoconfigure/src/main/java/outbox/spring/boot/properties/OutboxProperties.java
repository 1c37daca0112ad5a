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
    /** Whether there is an outbox at all. */
    private boolean enabled = true;

    /** What this application does with the table. */
    private Mode mode = Mode.MULTI_NODE;

    /** Where published events go. */
    private Publisher publisher = Publisher.TRANSACTIONAL;

    /** Table of the events: table or schema.table. */
    private String table = TableNames.DEFAULT_TABLE;

    /** Table of the progress of handlers; each table of events needs one of its own. */
    private String consumptionTable = JdbcEventConsumptionTracker.DEFAULT_TABLE;

    /** Name of the DataSource bean that holds the table. Needed only where there are several and none is primary. */
    private @Nullable String dataSource;

    /** Accepts a data source that routes by thread: only if all transactions, and threads without one, reach one database. */
    private boolean allowRoutingDataSource;

    /** Name of the transaction manager bean for that data source. Found by itself where possible. */
    private @Nullable String transactionManager;

    /** First part of the column locked_by. Default: host name and process id. */
    private @Nullable String nodeId;

    /** Outboxes of several data sources, by name. If there are any, there is no other. */
    private Map<String, InstanceProperties> instances = new LinkedHashMap<>();

    @NestedConfigurationProperty
    private final SchemaProperties schema = new SchemaProperties();

    @NestedConfigurationProperty
    private final WriteProperties write = new WriteProperties();

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
    private final WarnProperties warn = new WarnProperties();

    @NestedConfigurationProperty
    private final HandlerProperties handlers = new HandlerProperties();

    @NestedConfigurationProperty
    private final EventProperties events = new EventProperties();

    @NestedConfigurationProperty
    private final RedisProperties redis = new RedisProperties();

    @NestedConfigurationProperty
    private final MetricsProperties metrics = new MetricsProperties();

    @NestedConfigurationProperty
    private final TracingProperties tracing = new TracingProperties();

    @NestedConfigurationProperty
    private final EndpointProperties endpoint = new EndpointProperties();

    /** What an application does with the table. */
    public enum Mode {
        /** The only process that delivers; takes over at once what an earlier life of it held. */
        SINGLE_NODE,
        /** One of any number of processes. */
        MULTI_NODE,
        /** One of any number of processes that keep the order of each aggregate; the table needs the column seq. */
        ORDERED,
        /** Writes and does not deliver. */
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

    public WarnProperties getWarn() {
        return warn;
    }

    public HandlerProperties getHandlers() {
        return handlers;
    }

    public EventProperties getEvents() {
        return events;
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

    public EndpointProperties getEndpoint() {
        return endpoint;
    }
}
