package outbox.cdc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import outbox.dispatch.EventInterceptor;
import outbox.dispatch.OutboxDispatcher;
import outbox.dispatch.RetryPolicy;
import outbox.dispatch.StreamDispatcher;
import outbox.jdbc.TableNames;
import outbox.listener.RetryPreset;
import outbox.registry.ListenerRegistry;
import outbox.spi.EventSeal;
import outbox.spi.FailureListener;
import outbox.spi.MetricsExporter;
import outbox.util.JsonCodec;

/** Collects the settings of a {@link CdcRelay}; not thread-safe. */
public final class CdcRelayBuilder {
    public static final String DEFAULT_NAME = "outbox_cdc";
    /** How often the offset advances while no events are written. */
    public static final Duration DEFAULT_HEARTBEAT = Duration.ofSeconds(10);
    /** How often the size of the retained log is checked. */
    public static final Duration DEFAULT_WATCH_INTERVAL = Duration.ofSeconds(10);
    /** Size of the retained log above which the relay warns: 1 GiB. */
    public static final long DEFAULT_WARN_BYTES = 1L << 30;
    /** How many changes are delivered before the offset is stored. */
    public static final int DEFAULT_BATCH_SIZE = 2048;
    /** How long a node waits before it retries to read the log or to take over. */
    public static final Duration DEFAULT_RETRY_INTERVAL = Duration.ofSeconds(2);

    /**
     * Debezium's JMX beans are named after the relay alone. A bean of the same name, left by a relay of another
     * database or by a run that did not stop, delays the start of a new run by a minute; a tag makes them unique.
     */
    private static final String METRIC_TAGS = "custom.metric.tags";

    private static final AtomicLong RUNS = new AtomicLong();
    private static final int SILENT_BEATS = 6;
    private static final int MISSED_LOOKS = 15;
    private static final Duration MIN_SILENCE = Duration.ofSeconds(10);
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]{0,47}");
    /** Debezium settings that the guarantees of a relay depend on. */
    private static final Set<String> FIXED = Set.of(
            "name",
            "connector.class",
            "offset.storage",
            "topic.prefix",
            "table.include.list",
            "plugin.name",
            "slot.name",
            "publication.name",
            "schema.history.internal",
            "snapshot.mode",
            "transforms",
            "skipped.operations",
            "heartbeat.interval.ms",
            "connect.keep.alive",
            "connect.keep.alive.interval.ms",
            "notification.enabled.channels",
            "notification.sink.topic.name");

    final DatabaseAddress address;
    String name = DEFAULT_NAME;
    String table = TableNames.DEFAULT_TABLE;
    StartFrom startFrom = StartFrom.PENDING_ROWS;
    EventSeal seal = EventSeal.NONE;
    JsonCodec jsonCodec = JsonCodec.getDefault();
    RetryPolicy retryPolicy = RetryPreset.RELAY.policy();

    @Nullable
    DeadLetterSink deadLetters;

    MetricsExporter metrics = MetricsExporter.NOOP;
    FailureListener failureListener = FailureListener.NONE;
    Duration watchInterval = DEFAULT_WATCH_INTERVAL;
    Duration retryInterval = DEFAULT_RETRY_INTERVAL;
    long warnBytes = DEFAULT_WARN_BYTES;
    private @Nullable ListenerRegistry listeners;
    private int maxAttempts = RetryPreset.RELAY.maxAttempts();
    private int workerCount = OutboxDispatcher.DEFAULT_WORKER_COUNT;
    private Duration timeLimit = OutboxDispatcher.DEFAULT_TIME_LIMIT;
    private Duration drainTimeout = Duration.ofMillis(OutboxDispatcher.DEFAULT_DRAIN_TIMEOUT_MS);
    private Duration heartbeat = DEFAULT_HEARTBEAT;
    private int batchSize = DEFAULT_BATCH_SIZE;
    private final List<EventInterceptor> interceptors = new ArrayList<>();
    private final Map<String, String> debezium = new LinkedHashMap<>();

    CdcRelayBuilder(DatabaseAddress address) {
        this.address = address;
    }

    /**
     * The name of the relay, its slot and its publication; default {@value #DEFAULT_NAME}. Relays with the same name on
     * the same database form one group: one reads, the others are on standby.
     */
    public CdcRelayBuilder name(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("invalid relay name '" + name
                    + "': it is also the name of a replication slot and needs a lowercase letter, then at most 47 lowercase letters,"
                    + " digits or underscores");
        }
        this.name = name;
        return this;
    }

    /** Default {@value TableNames#DEFAULT_TABLE}. */
    public CdcRelayBuilder table(String table) {
        this.table = TableNames.validate(table);
        return this;
    }

    /** Required: the listeners of the events. */
    public CdcRelayBuilder listeners(ListenerRegistry listeners) {
        this.listeners = Objects.requireNonNull(listeners, "listeners");
        return this;
    }

    /** Default {@link StartFrom#PENDING_ROWS}. */
    public CdcRelayBuilder startFrom(StartFrom startFrom) {
        this.startFrom = Objects.requireNonNull(startFrom, "startFrom");
        return this;
    }

    /** Seals payloads in the table; must match the outbox that writes the events. */
    public CdcRelayBuilder seal(EventSeal seal) {
        this.seal = Objects.requireNonNull(seal, "seal");
        return this;
    }

    /** Reads headers; must match the store that writes the events. */
    public CdcRelayBuilder jsonCodec(JsonCodec jsonCodec) {
        this.jsonCodec = Objects.requireNonNull(jsonCodec, "jsonCodec");
        return this;
    }

    /** Delays between attempts; default {@link RetryPreset#RELAY}. */
    public CdcRelayBuilder retryPolicy(RetryPolicy retryPolicy) {
        this.retryPolicy = Objects.requireNonNull(retryPolicy, "retryPolicy");
        return this;
    }

    /** After how many failed attempts an event becomes a dead letter, if there is a sink for them; default 10. */
    public CdcRelayBuilder maxAttempts(int maxAttempts) {
        this.maxAttempts = positive("maxAttempts", maxAttempts);
        return this;
    }

    /** Delays and attempt limit of a named schedule; default {@link RetryPreset#RELAY}. */
    public CdcRelayBuilder retry(RetryPreset preset) {
        return retryPolicy(preset.policy()).maxAttempts(preset.maxAttempts());
    }

    /**
     * Receives events whose attempts are used up, that have no listener, or whose row cannot be read. Without a sink
     * such an event is retried forever and blocks everything behind it.
     */
    public CdcRelayBuilder deadLetters(DeadLetterSink deadLetters) {
        this.deadLetters = Objects.requireNonNull(deadLetters, "deadLetters");
        return this;
    }

    /** Number of worker threads; default 4. */
    public CdcRelayBuilder workerCount(int workerCount) {
        this.workerCount = positive("workerCount", workerCount);
        return this;
    }

    /** How many changes are delivered before the offset is stored; default {@value #DEFAULT_BATCH_SIZE}. */
    public CdcRelayBuilder batchSize(int batchSize) {
        this.batchSize = positive("batchSize", batchSize);
        return this;
    }

    /** See {@link OutboxDispatcher.Builder#timeLimit}; default 10 minutes. */
    public CdcRelayBuilder timeLimit(Duration timeLimit) {
        if (timeLimit.isNegative()) {
            throw new IllegalArgumentException(
                    "timeLimit must not be negative: " + timeLimit + "; use Duration.ZERO for no limit");
        }
        this.timeLimit = timeLimit;
        return this;
    }

    /** How long {@link CdcRelay#close()} waits for running listeners; default 5 s. */
    public CdcRelayBuilder drainTimeout(Duration drainTimeout) {
        if (drainTimeout.isNegative()) {
            throw new IllegalArgumentException("drainTimeout must not be negative: " + drainTimeout);
        }
        this.drainTimeout = drainTimeout;
        return this;
    }

    /**
     * How often the offset advances while no events are written; default 10 s. If nothing arrives for six intervals,
     * and at least 10 s, the relay reconnects and continues at its offset.
     */
    public CdcRelayBuilder heartbeat(Duration heartbeat) {
        this.heartbeat = positive("heartbeat", heartbeat);
        return this;
    }

    /** How often the size of the retained log is checked; default 10 s. */
    public CdcRelayBuilder watchInterval(Duration watchInterval) {
        this.watchInterval = positive("watchInterval", watchInterval);
        return this;
    }

    /** Size of the retained log above which the relay warns; default 1 GiB. */
    public CdcRelayBuilder warnAboveRetainedBytes(long bytes) {
        if (bytes <= 0) {
            throw new IllegalArgumentException("the limit must be positive: " + bytes);
        }
        this.warnBytes = bytes;
        return this;
    }

    /** How long a node waits before it retries to read the log or to take over; default 2 s. */
    public CdcRelayBuilder retryInterval(Duration retryInterval) {
        this.retryInterval = positive("retryInterval", retryInterval);
        return this;
    }

    /** Notified of every failed delivery; default none. */
    public CdcRelayBuilder failureListener(FailureListener failureListener) {
        this.failureListener = Objects.requireNonNull(failureListener, "failureListener");
        return this;
    }

    public CdcRelayBuilder metrics(MetricsExporter metrics) {
        this.metrics = Objects.requireNonNull(metrics, "metrics");
        return this;
    }

    /** Adds an interceptor; interceptors run in the order they were added. */
    public CdcRelayBuilder interceptor(EventInterceptor interceptor) {
        this.interceptors.add(Objects.requireNonNull(interceptor, "interceptor"));
        return this;
    }

    /**
     * A setting of Debezium's connector, such as {@code database.sslmode} or {@code database.server.id}.
     *
     * @throws IllegalArgumentException if the relay must control the setting itself
     */
    public CdcRelayBuilder debezium(String setting, String value) {
        if (FIXED.contains(setting)) {
            throw new IllegalArgumentException(setting + " is set by the relay itself");
        }
        debezium.put(setting, Objects.requireNonNull(value, "value"));
        return this;
    }

    /** @throws IllegalStateException if a required setting is missing */
    public CdcRelay build() {
        if (listeners == null) {
            throw new IllegalStateException("listeners is not set: call listeners(registry)");
        }
        return new CdcRelay(this, logDatabase());
    }

    /** If nothing arrives for this long, not even a heartbeat, the connection is considered broken. */
    Duration silenceLimit() {
        Duration beats = heartbeat.multipliedBy(SILENT_BEATS);
        return beats.compareTo(MIN_SILENCE) < 0 ? MIN_SILENCE : beats;
    }

    /** How long the lock is kept after the last activity of its holder, which checks it at every retry interval. */
    Duration lockLimit() {
        Duration looks = retryInterval.multipliedBy(MISSED_LOOKS);
        return looks.compareTo(MIN_SILENCE) < 0 ? MIN_SILENCE : looks;
    }

    LogDatabase logDatabase() {
        return switch (address.kind()) {
            case "postgresql" -> new PostgresLog(name, table, startFrom);
            default -> new MySqlLog(address, name, table, startFrom, heartbeat);
        };
    }

    StreamDispatcher dispatcher(StreamDispatcher.DeadLetters toDeadLetters) {
        StreamDispatcher.Builder builder = StreamDispatcher.builder()
                .listenerRegistry(Objects.requireNonNull(listeners))
                .retryPolicy(retryPolicy)
                .maxAttempts(maxAttempts)
                .workerCount(workerCount)
                .timeLimit(timeLimit)
                .drainTimeout(drainTimeout)
                .failureListener(failureListener)
                .metrics(metrics);
        interceptors.forEach(builder::interceptor);
        return (deadLetters == null ? builder : builder.deadLetters(toDeadLetters)).build();
    }

    /** @param ofTheDatabase what {@link LogDatabase#prepare} returned */
    Map<String, String> configuration(Map<String, String> ofTheDatabase) {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("name", name);
        all.put("topic.prefix", name);
        all.put("offset.storage", OffsetTable.class.getName());
        all.put("database.hostname", address.host());
        all.put("database.port", Integer.toString(address.port()));
        all.put("database.user", address.user());
        all.put("database.password", address.password());
        all.put("database.dbname", address.database());
        all.put("skipped.operations", "u,d,t"); // only inserts are events
        all.put("tombstones.on.delete", "false");
        all.put("heartbeat.interval.ms", Long.toString(heartbeat.toMillis()));
        all.put("max.batch.size", Integer.toString(batchSize));
        all.put("max.queue.size", Integer.toString(4 * batchSize));
        all.put("poll.interval.ms", "20"); // the longest time an event waits to be batched with others
        all.put("errors.max.retries", "0"); // the relay restarts the engine itself
        all.putAll(SnapshotNotice.settings());
        all.putAll(ofTheDatabase);
        all.putAll(RelayState.settings(address, name));
        all.putAll(debezium);
        all.merge(METRIC_TAGS, "run=" + RUNS.incrementAndGet(), (given, run) -> given + "," + run);
        return all;
    }

    private static int positive(String what, int value) {
        if (value <= 0) {
            throw new IllegalArgumentException(what + " must be positive: " + value);
        }
        return value;
    }

    private static Duration positive(String what, Duration value) {
        if (value.isNegative() || value.isZero()) {
            throw new IllegalArgumentException(what + " must be positive: " + value);
        }
        return value;
    }
}
