package outbox.spring.boot;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.util.unit.DataSize;
import outbox.EventEnvelope;
import outbox.OutboxBuilder;
import outbox.dispatch.CompletionMode;
import outbox.dispatch.OutboxDispatcher;
import outbox.dispatch.RetryPreset;
import outbox.domain.type.EventNaming;
import outbox.jdbc.TableNames;
import outbox.purge.OutboxPurgeScheduler;

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

    /** Name of the DataSource bean that holds the table. Needed only where there are several and none is primary. */
    private @Nullable String dataSource;

    /** Name of the transaction manager bean for that data source. Found by itself where possible. */
    private @Nullable String transactionManager;

    /** First part of the column locked_by. Default: host name and process id. */
    private @Nullable String nodeId;

    /** Outboxes of several data sources, by name. If there are any, there is no other. */
    private Map<String, Instance> instances = new LinkedHashMap<>();

    @NestedConfigurationProperty
    private final Schema schema = new Schema();

    @NestedConfigurationProperty
    private final Write write = new Write();

    @NestedConfigurationProperty
    private final Dispatch dispatch = new Dispatch();

    @NestedConfigurationProperty
    private final Retry retry = new Retry();

    @NestedConfigurationProperty
    private final Poll poll = new Poll();

    @NestedConfigurationProperty
    private final Purge purge = new Purge();

    @NestedConfigurationProperty
    private final PartitionProperties partitions = new PartitionProperties();

    @NestedConfigurationProperty
    private final ArchiveProperties archive = new ArchiveProperties();

    @NestedConfigurationProperty
    private final Warn warn = new Warn();

    @NestedConfigurationProperty
    private final Handlers handlers = new Handlers();

    @NestedConfigurationProperty
    private final Events events = new Events();

    @NestedConfigurationProperty
    private final Redis redis = new Redis();

    @NestedConfigurationProperty
    private final Metrics metrics = new Metrics();

    @NestedConfigurationProperty
    private final Tracing tracing = new Tracing();

    @NestedConfigurationProperty
    private final Endpoint endpoint = new Endpoint();

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

    /** What is done about tables at the start. */
    public enum SchemaMode {
        /** Creates missing tables in an embedded database, checks them elsewhere. */
        EMBEDDED,
        /** Creates missing tables in any database. */
        ALWAYS,
        /** Creates nothing; refuses to start if a table or column is missing. */
        VALIDATE,
        /** Creates nothing and checks only what delivery can not do without. */
        NEVER
    }

    /** Where the progress of each handler is kept. */
    public enum Tracking {
        /** In the database if an event has several handlers, one is transactional, or the table is there; else nowhere. */
        AUTO,
        /** In the database. */
        JDBC,
        /** In Redis. */
        REDIS,
        /** In the row of the event alone: one handler for each event. */
        NONE
    }

    /** What happens to events nobody handles. */
    public enum Unhandled {
        /** They are dead, and can be replayed when somebody handles them. */
        DEAD,
        /** They are written to the log and done. */
        LOG
    }

    /** One of several outboxes; what it does not say is said by outbox.*. */
    public static class Instance {
        /** Name of the DataSource bean that holds the table. */
        private @Nullable String dataSource;

        /** Name of the transaction manager bean for that data source. Found by itself where possible. */
        private @Nullable String transactionManager;

        /** Table of the events. Default: that of outbox.table. */
        private @Nullable String table;

        /** What this application does with the table. Default: that of outbox.mode. */
        private @Nullable Mode mode;

        /** Whether this one is injected where no qualifier is given. */
        private boolean primary;

        public @Nullable String getDataSource() {
            return dataSource;
        }

        public void setDataSource(@Nullable String dataSource) {
            this.dataSource = dataSource;
        }

        public @Nullable String getTransactionManager() {
            return transactionManager;
        }

        public void setTransactionManager(@Nullable String transactionManager) {
            this.transactionManager = transactionManager;
        }

        public @Nullable String getTable() {
            return table;
        }

        public void setTable(@Nullable String table) {
            this.table = table;
        }

        public @Nullable Mode getMode() {
            return mode;
        }

        public void setMode(@Nullable Mode mode) {
            this.mode = mode;
        }

        public boolean isPrimary() {
            return primary;
        }

        public void setPrimary(boolean primary) {
            this.primary = primary;
        }
    }

    /** Tables at the start. */
    public static class Schema {
        /** What is done about tables at the start. */
        private SchemaMode mode = SchemaMode.EMBEDDED;

        public SchemaMode getMode() {
            return mode;
        }

        public void setMode(SchemaMode mode) {
            this.mode = mode;
        }
    }

    /** Limits of the writer. */
    public static class Write {
        /** Larger payloads are refused; at most 1MB. */
        private DataSize maxPayload = DataSize.ofBytes(EventEnvelope.MAX_PAYLOAD_BYTES);

        public DataSize getMaxPayload() {
            return maxPayload;
        }

        public void setMaxPayload(DataSize maxPayload) {
            this.maxPayload = maxPayload;
        }
    }

    /** Workers and leases. */
    public static class Dispatch {
        /** How many listeners run at a time; 0 delivers nothing. */
        private int workers = OutboxDispatcher.DEFAULT_WORKER_COUNT;

        /** Events that wait after their commit. */
        private int hotQueueCapacity = OutboxDispatcher.DEFAULT_HOT_QUEUE_CAPACITY;

        /** Events that wait after their claim. */
        private int coldQueueCapacity = OutboxDispatcher.DEFAULT_COLD_QUEUE_CAPACITY;

        /** How long others leave a row alone whose node does not renew it; the same on all nodes. */
        private Duration leaseTime = OutboxDispatcher.DEFAULT_LEASE_TIME;

        /** How long a shutdown waits for what is queued. */
        private Duration drainTimeout = Duration.ofMillis(OutboxDispatcher.DEFAULT_DRAIN_TIMEOUT_MS);

        /** Whether delivered rows stay as DONE until they are purged, or are deleted. */
        private CompletionMode completion = CompletionMode.MARK;

        public int getWorkers() {
            return workers;
        }

        public void setWorkers(int workers) {
            this.workers = workers;
        }

        public int getHotQueueCapacity() {
            return hotQueueCapacity;
        }

        public void setHotQueueCapacity(int hotQueueCapacity) {
            this.hotQueueCapacity = hotQueueCapacity;
        }

        public int getColdQueueCapacity() {
            return coldQueueCapacity;
        }

        public void setColdQueueCapacity(int coldQueueCapacity) {
            this.coldQueueCapacity = coldQueueCapacity;
        }

        public Duration getLeaseTime() {
            return leaseTime;
        }

        public void setLeaseTime(Duration leaseTime) {
            this.leaseTime = leaseTime;
        }

        public Duration getDrainTimeout() {
            return drainTimeout;
        }

        public void setDrainTimeout(Duration drainTimeout) {
            this.drainTimeout = drainTimeout;
        }

        public CompletionMode getCompletion() {
            return completion;
        }

        public void setCompletion(CompletionMode completion) {
            this.completion = completion;
        }
    }

    /** Retries where a handler says nothing else. */
    public static class Retry {
        /** A named schedule: delays and attempts. */
        private RetryPreset preset = RetryPreset.QUICK;

        /** Delay after the first failure, instead of the preset's; doubles with each one. */
        private @Nullable Duration baseDelay;

        /** Longest delay, instead of the preset's. */
        private @Nullable Duration maxDelay;

        /** Calls of a handler for one event before it is dead, instead of the preset's. */
        private @Nullable Integer maxAttempts;

        public RetryPreset getPreset() {
            return preset;
        }

        public void setPreset(RetryPreset preset) {
            this.preset = preset;
        }

        public @Nullable Duration getBaseDelay() {
            return baseDelay;
        }

        public void setBaseDelay(@Nullable Duration baseDelay) {
            this.baseDelay = baseDelay;
        }

        public @Nullable Duration getMaxDelay() {
            return maxDelay;
        }

        public void setMaxDelay(@Nullable Duration maxDelay) {
            this.maxDelay = maxDelay;
        }

        public @Nullable Integer getMaxAttempts() {
            return maxAttempts;
        }

        public void setMaxAttempts(@Nullable Integer maxAttempts) {
            this.maxAttempts = maxAttempts;
        }
    }

    /** When the table is read. */
    public static class Poll {
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

    /** When old rows are deleted. */
    public static class Purge {
        /** Whether this application deletes rows that ended. */
        private boolean enabled = true;

        /** How long rows stay after their end. */
        private Duration retention = OutboxPurgeScheduler.DEFAULT_RETENTION;

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

        public Duration getInterval() {
            return interval;
        }

        public void setInterval(Duration interval) {
            this.interval = interval;
        }
    }

    /** Warnings about dead events. */
    public static class Warn {
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

    /** What concerns all handlers. */
    public static class Handlers {
        /** Where the progress of each handler is kept. */
        private Tracking tracking = Tracking.AUTO;

        /** What happens to events nobody handles. */
        private Unhandled unhandled = Unhandled.DEAD;

        /** Names of handlers that are gone on purpose. */
        private List<String> retired = new ArrayList<>();

        public Tracking getTracking() {
            return tracking;
        }

        public void setTracking(Tracking tracking) {
            this.tracking = tracking;
        }

        public Unhandled getUnhandled() {
            return unhandled;
        }

        public void setUnhandled(Unhandled unhandled) {
            this.unhandled = unhandled;
        }

        public List<String> getRetired() {
            return retired;
        }

        public void setRetired(List<String> retired) {
            this.retired = retired;
        }
    }

    /** Types of events. */
    public static class Events {
        /** Rule for names of event types. */
        private EventNaming naming = EventNaming.FREE;

        /** Packages to look for classes with @EventName in. Default: those of the application. */
        private List<String> packages = new ArrayList<>();

        public EventNaming getNaming() {
            return naming;
        }

        public void setNaming(EventNaming naming) {
            this.naming = naming;
        }

        public List<String> getPackages() {
            return packages;
        }

        public void setPackages(List<String> packages) {
            this.packages = packages;
        }
    }

    /** Redis, where handlers are tracked there. */
    public static class Redis {
        /** For instance redis://localhost:6379. */
        private @Nullable String uri;

        /** How long progress is remembered; longer than an event may be retried. */
        private Duration ttl = Duration.ofDays(7); // the tracker's own constant would load Lettuce

        public @Nullable String getUri() {
            return uri;
        }

        /** @param why what needs it, for the message */
        public String requireUri(String why) {
            if (uri == null || uri.isBlank()) {
                throw new IllegalStateException(why + ", but outbox.redis.uri is not set; for instance"
                        + " outbox.redis.uri=redis://localhost:6379");
            }
            return uri;
        }

        public void setUri(@Nullable String uri) {
            this.uri = uri;
        }

        public Duration getTtl() {
            return ttl;
        }

        public void setTtl(Duration ttl) {
            this.ttl = ttl;
        }
    }

    /** Meters. */
    public static class Metrics {
        /** Beginning of the names of all meters. */
        private String prefix = "outbox";

        public String getPrefix() {
            return prefix;
        }

        public void setPrefix(String prefix) {
            this.prefix = prefix;
        }
    }

    /** Traces. */
    public static class Tracing {
        /** Whether the writer's trace is stored with the event and continued around its handler. */
        private boolean enabled = true;

        public boolean isEnabled() {
            return enabled;
        }

        public void setEnabled(boolean enabled) {
            this.enabled = enabled;
        }
    }

    /** The actuator endpoint. */
    public static class Endpoint {
        /** Whether it can replay, skip and park events. */
        private boolean writes;

        /** Whether it shows payloads and headers. */
        private boolean payloads;

        public boolean isWrites() {
            return writes;
        }

        public void setWrites(boolean writes) {
            this.writes = writes;
        }

        public boolean isPayloads() {
            return payloads;
        }

        public void setPayloads(boolean payloads) {
            this.payloads = payloads;
        }
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

    public @Nullable String getDataSource() {
        return dataSource;
    }

    public void setDataSource(@Nullable String dataSource) {
        this.dataSource = dataSource;
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

    public Map<String, Instance> getInstances() {
        return instances;
    }

    public void setInstances(Map<String, Instance> instances) {
        this.instances = instances;
    }

    public Schema getSchema() {
        return schema;
    }

    public Write getWrite() {
        return write;
    }

    public Dispatch getDispatch() {
        return dispatch;
    }

    public Retry getRetry() {
        return retry;
    }

    public Poll getPoll() {
        return poll;
    }

    public Purge getPurge() {
        return purge;
    }

    public PartitionProperties getPartitions() {
        return partitions;
    }

    public ArchiveProperties getArchive() {
        return archive;
    }

    public Warn getWarn() {
        return warn;
    }

    public Handlers getHandlers() {
        return handlers;
    }

    public Events getEvents() {
        return events;
    }

    public Redis getRedis() {
        return redis;
    }

    public Metrics getMetrics() {
        return metrics;
    }

    public Tracing getTracing() {
        return tracing;
    }

    public Endpoint getEndpoint() {
        return endpoint;
    }
}
