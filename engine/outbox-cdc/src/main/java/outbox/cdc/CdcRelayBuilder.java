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
    /** How often the place in the log moves on while nobody writes events. */
    public static final Duration DEFAULT_HEARTBEAT = Duration.ofSeconds(10);
    /** How often the database is asked how much log it keeps. */
    public static final Duration DEFAULT_WATCH_INTERVAL = Duration.ofSeconds(10);
    /** How much log the database may keep for the relay before there is a warning: a gibibyte. */
    public static final long DEFAULT_WARN_BYTES = 1L << 30;
    /** How many changes are delivered before the place in the log is written down. */
    public static final int DEFAULT_BATCH_SIZE = 2048;
    /** How long a node waits before it tries again to read the log, or to take over. */
    public static final Duration DEFAULT_RETRY_INTERVAL = Duration.ofSeconds(2);

    /**
     * Debezium's beans in JMX have the name of the relay and nothing else. One that is there already, of a relay of another
     * database or of a run that could not be ended, holds up each of a new run for a minute.
     */
    private static final String METRIC_TAGS = "custom.metric.tags";

    private static final AtomicLong RUNS = new AtomicLong();
    private static final int SILENT_BEATS = 6;
    private static final int MISSED_LOOKS = 15;
    private static final Duration MIN_SILENCE = Duration.ofSeconds(10);
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]{0,47}");
    /** What the promises of a relay rest on. */
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
    private FailureListener failureListener = FailureListener.NONE;
    private final List<EventInterceptor> interceptors = new ArrayList<>();
    private final Map<String, String> debezium = new LinkedHashMap<>();

    CdcRelayBuilder(DatabaseAddress address) {
        this.address = address;
    }

    /**
     * The name of the relay, its slot and its publication; default {@value #DEFAULT_NAME}. Relays with the same name on
     * the same database stand in for each other: one reads, the others wait.
     */
    public CdcRelayBuilder name(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("not a name for a relay: '" + name
                    + "'; it becomes the name of a replication slot: a small letter, then at most 47 small letters,"
                    + " digits and underscores");
        }
        this.name = name;
        return this;
    }

    /** Default {@value TableNames#DEFAULT_TABLE}. */
    public CdcRelayBuilder table(String table) {
        this.table = TableNames.validate(table);
        return this;
    }

    /** Required: who gets which event. */
    public CdcRelayBuilder listeners(ListenerRegistry listeners) {
        this.listeners = Objects.requireNonNull(listeners, "listeners");
        return this;
    }

    /** Default {@link StartFrom#PENDING_ROWS}. */
    public CdcRelayBuilder startFrom(StartFrom startFrom) {
        this.startFrom = Objects.requireNonNull(startFrom, "startFrom");
        return this;
    }

    /** The form events have in the table; as in the outbox that writes them. */
    public CdcRelayBuilder seal(EventSeal seal) {
        this.seal = Objects.requireNonNull(seal, "seal");
        return this;
    }

    /** Reads headers; as in the store that writes them. */
    public CdcRelayBuilder jsonCodec(JsonCodec jsonCodec) {
        this.jsonCodec = Objects.requireNonNull(jsonCodec, "jsonCodec");
        return this;
    }

    /** How long to wait after a failure; default as {@link RetryPreset#RELAY}. */
    public CdcRelayBuilder retryPolicy(RetryPolicy retryPolicy) {
        this.retryPolicy = Objects.requireNonNull(retryPolicy, "retryPolicy");
        return this;
    }

    /** After how many failures an event goes to the dead letters, if there are any; default 10. */
    public CdcRelayBuilder maxAttempts(int maxAttempts) {
        this.maxAttempts = positive("maxAttempts", maxAttempts);
        return this;
    }

    /** Delays and attempt limit of a named schedule; default {@link RetryPreset#RELAY}. */
    public CdcRelayBuilder retry(RetryPreset preset) {
        return retryPolicy(preset.policy()).maxAttempts(preset.maxAttempts());
    }

    /**
     * Where events go that their listener does not take, that nobody listens to, or whose row cannot be read. Without,
     * such an event is tried for ever and everything behind it waits.
     */
    public CdcRelayBuilder deadLetters(DeadLetterSink deadLetters) {
        this.deadLetters = Objects.requireNonNull(deadLetters, "deadLetters");
        return this;
    }

    /** How many listeners run at a time; default 4. */
    public CdcRelayBuilder workerCount(int workerCount) {
        this.workerCount = positive("workerCount", workerCount);
        return this;
    }

    /** How many changes are delivered before the place in the log is written down; default {@value #DEFAULT_BATCH_SIZE}. */
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

    /** How long {@link CdcRelay#close()} waits for listeners that run; default 5 s. */
    public CdcRelayBuilder drainTimeout(Duration drainTimeout) {
        if (drainTimeout.isNegative()) {
            throw new IllegalArgumentException("drainTimeout must not be negative: " + drainTimeout);
        }
        this.drainTimeout = drainTimeout;
        return this;
    }

    /**
     * How often the place in the log moves on while nobody writes events; default 10 s. After six of them without a sign of
     * life, and at least 10 s, the relay reads again where it was.
     */
    public CdcRelayBuilder heartbeat(Duration heartbeat) {
        this.heartbeat = positive("heartbeat", heartbeat);
        return this;
    }

    /** How often the database is asked how much log it keeps; default 10 s. */
    public CdcRelayBuilder watchInterval(Duration watchInterval) {
        this.watchInterval = positive("watchInterval", watchInterval);
        return this;
    }

    /** How much log the database may keep for this relay before there is a warning; default a gibibyte. */
    public CdcRelayBuilder warnAboveRetainedBytes(long bytes) {
        if (bytes <= 0) {
            throw new IllegalArgumentException("the limit must be positive: " + bytes);
        }
        this.warnBytes = bytes;
        return this;
    }

    /** How long a node waits before it tries again to read the log, or to take over; default 2 s. */
    public CdcRelayBuilder retryInterval(Duration retryInterval) {
        this.retryInterval = positive("retryInterval", retryInterval);
        return this;
    }

    /** Told of every failed delivery; default: nobody. */
    public CdcRelayBuilder failureListener(FailureListener failureListener) {
        this.failureListener = Objects.requireNonNull(failureListener, "failureListener");
        return this;
    }

    public CdcRelayBuilder metrics(MetricsExporter metrics) {
        this.metrics = Objects.requireNonNull(metrics, "metrics");
        return this;
    }

    /** Adds one; they run in the order they were added. */
    public CdcRelayBuilder interceptor(EventInterceptor interceptor) {
        this.interceptors.add(Objects.requireNonNull(interceptor, "interceptor"));
        return this;
    }

    /**
     * A setting of Debezium's connector, such as {@code database.sslmode} or {@code database.server.id}.
     *
     * @throws IllegalArgumentException if what a relay promises rests on it
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
            throw new IllegalStateException("listeners is not set: who is to get the events?");
        }
        return new CdcRelay(this, logDatabase());
    }

    /** A log of which nothing is heard for so long, not even a heartbeat, is not being read. */
    Duration silenceLimit() {
        Duration beats = heartbeat.multipliedBy(SILENT_BEATS);
        return beats.compareTo(MIN_SILENCE) < 0 ? MIN_SILENCE : beats;
    }

    /** How long the lock outlives the last sign of life of its holder, which gives one at every retry interval. */
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
        all.put("skipped.operations", "u,d,t"); // what happens to a row after its insert is not an event
        all.put("tombstones.on.delete", "false");
        all.put("heartbeat.interval.ms", Long.toString(heartbeat.toMillis()));
        all.put("max.batch.size", Integer.toString(batchSize));
        all.put("max.queue.size", Integer.toString(4 * batchSize));
        all.put("poll.interval.ms", "20"); // what an event waits here at most for others to come with it
        all.put("errors.max.retries", "0"); // the relay starts the engine again
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
