package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.jdbc.EventTable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.SqlDialect;
import outbox.jdbc.archive.EventArchive;
import outbox.jdbc.partition.DailyPartitions;
import outbox.jdbc.purge.AgePurger;
import outbox.jdbc.purge.ArchivingEventPurger;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.spi.ClaimRequest;
import outbox.spi.DeadLetterStore;
import outbox.spi.Election;
import outbox.spi.EventPurger;
import outbox.spi.LeasingOutboxStore;
import outbox.spi.Settlement;
import outbox.util.JsonCodec;
import outbox.util.StoredError;

/**
 * The outbox table on JDBC, composed of a table with its dialect and one strategy for each step. A store for a database is
 * a subclass that chooses them, its purger and its election, and is registered for {@link java.util.ServiceLoader} under
 * the name of this class:
 *
 * <pre>{@code
 * public HsqldbOutboxStore(String tableName, JsonCodec codec) {
 *     this(new EventTable(tableName, HSQLDB), codec);
 * }
 *
 * private HsqldbOutboxStore(EventTable table, JsonCodec codec) {
 *     super(table, codec, new StoreStrategies(
 *         new MultiRowInsert(table, codec), claim, claim, null, new KeyedSettlement(table)));
 * }
 * }</pre>
 *
 * <p>Methods of the specification use the times passed to them; those of {@link LeasingOutboxStore} use the database's
 * clock. Connections are never closed here. Related statements run in the caller's transaction; on a connection in
 * auto-commit mode they get their own transaction.
 *
 * <p>Thread-safe. Database errors become {@link outbox.jdbc.OutboxStoreException}, duplicate ids {@link
 * outbox.spi.DuplicateEventException}.
 */
public abstract class AbstractJdbcOutboxStore implements LeasingOutboxStore, DeadLetterStore {
    private static final String MARK_DONE = """
            UPDATE {table} SET status = {done}, done_at = {now}, locked_by = NULL, locked_at = NULL
            WHERE event_id = ? AND status <> {done}
            """;
    private static final String MARK_RETRY = """
            UPDATE {table} SET status = {retry}, attempts = attempts + 1, available_at = ?, last_error = ?,
              locked_by = NULL, locked_at = NULL
            WHERE event_id = ? AND status <> {done}
            """;
    private static final String MARK_DEAD = """
            UPDATE {table} SET status = {dead}, last_error = ?, locked_by = NULL, locked_at = NULL
            WHERE event_id = ? AND status <> {done}
            """;
    private static final String POLL_PENDING = """
            SELECT {columns} FROM {table}
            WHERE status IN ({pending}) AND available_at <= ? AND created_at <= ?
            ORDER BY created_at LIMIT ?
            """;
    private static final String EXPIRE_OTHERS = """
            UPDATE {table} SET locked_at = {now-?}
            WHERE status IN ({pending}) AND locked_by IS NOT NULL AND locked_by <> ?
            """;
    /** Longer than any lease. */
    private static final Duration LONG_AGO = Duration.ofDays(365);

    private static final String BEGIN_ATTEMPT = """
            UPDATE {table by key} SET attempts = ? WHERE event_id = ? AND locked_by = ? AND status IN ({pending})
            """;
    /**
     * Retries and releases change {@code available_at}, so an event that was attempted or released counts from its
     * creation. Reads only the rows that are due first, so that it stays fast with a backlog.
     */
    private static final String OLDEST_PENDING = """
            SELECT MIN(CASE WHEN %s AND created_at < available_at THEN created_at ELSE available_at END), {now}
            FROM (SELECT attempts, available_at, created_at, locked_by, locked_at FROM {table}
                  WHERE status = ? ORDER BY status, available_at LIMIT 10000) pending
            WHERE available_at <= {now} OR %s
            HAVING COUNT(*) > 0
            """.formatted(EventRows.HAS_BEEN_DUE, EventRows.HAS_BEEN_DUE);

    private final EventTable table;
    private final JsonCodec codec;
    private final StoreStrategies strategies;
    private final DeadRows deadRows;

    private final String markDoneSql;
    private final String markRetrySql;
    private final String markDeadSql;
    private final String pollPendingSql;
    private final String expireOthersSql;
    private final String beginAttemptSql;
    private final String oldestPendingSql;

    /** @param codec for headers */
    protected AbstractJdbcOutboxStore(EventTable table, JsonCodec codec, StoreStrategies strategies) {
        this.table = Objects.requireNonNull(table, "table");
        this.codec = Objects.requireNonNull(codec, "codec");
        this.strategies = Objects.requireNonNull(strategies, "strategies");
        this.deadRows = new DeadRows(table);
        this.markDoneSql = table.sql(MARK_DONE);
        this.markRetrySql = table.sql(MARK_RETRY);
        this.markDeadSql = table.sql(MARK_DEAD);
        this.pollPendingSql = table.sql(POLL_PENDING);
        this.expireOthersSql = table.sql(EXPIRE_OTHERS);
        this.beginAttemptSql = table.sql(BEGIN_ATTEMPT);
        this.oldestPendingSql = table.sql(OLDEST_PENDING);
    }

    /** The table with its dialect. */
    public final EventTable table() {
        return table;
    }

    public final SqlDialect dialect() {
        return table.dialect();
    }

    /** The name for {@link JdbcOutboxStores#get}. */
    public final String name() {
        return dialect().name();
    }

    /** Prefixes of the JDBC URLs of this store, such as {@code jdbc:h2:}. */
    public final List<String> jdbcUrlPrefixes() {
        return dialect().jdbcUrlPrefixes();
    }

    /** The same store on the same table with another codec for headers. */
    public abstract AbstractJdbcOutboxStore withJsonCodec(JsonCodec codec);

    /** The same store on another table. */
    public abstract AbstractJdbcOutboxStore withTable(String tableName);

    /** The DDL of this store's table: {@code /outbox/schema/<name>.sql} on the class path of this class. */
    public OutboxSchema schema() {
        return schemaFile("", tableName());
    }

    /** The additional DDL for ordered delivery, after {@link #schema()}. */
    public OutboxSchema orderedSchema() {
        return schemaFile("-ordered", tableName());
    }

    /**
     * The DDL of this store's table, partitioned by day, instead of {@link #schema()}.
     *
     * @throws UnsupportedOperationException if the database has no partitions
     */
    public OutboxSchema partitionedSchema() {
        dailyPartitions();
        return schemaFile("-partitioned", tableName());
    }

    /** The DDL of an archive table; see {@link outbox.jdbc.archive.EventArchive#inTable}. */
    public OutboxSchema archiveSchema(String archiveTable) {
        return schemaFile("-archive", archiveTable);
    }

    private OutboxSchema schemaFile(String suffix, String tableName) {
        return OutboxSchema.of(getClass(), name() + suffix, tableName);
    }

    /** A purger for this store's table that archives rows before it deletes them. */
    public EventPurger archivingPurger(EventArchive archive) {
        return new ArchivingEventPurger(table, archive);
    }

    /**
     * A purger that deletes rows by age alone, delivered or not: for append-only tables delivered by CDC. Only a {@code
     * writerOnly()} outbox accepts it.
     */
    public EventPurger agePurger() {
        return new AgePurger(table);
    }

    /**
     * Creates and drops the partitions of a table of {@link #partitionedSchema()}.
     *
     * @throws UnsupportedOperationException if the database has no partitions
     */
    public DailyPartitions dailyPartitions() {
        throw new UnsupportedOperationException(
                name() + " has no partitions; purge " + table + " by retention(...), which deletes row by row");
    }

    /** Read-only queries of rows. */
    public final EventLookup lookup() {
        return new EventLookup(table);
    }

    /** A purger for this store's table. */
    public abstract EventPurger purger();

    /**
     * Elects the node that purges this store's table or does other exclusive work. By default every node is elected;
     * the stores of this module use a database lock.
     */
    public Election election() {
        return Election.UNOPPOSED;
    }

    public final String tableName() {
        return table.name();
    }

    public final JsonCodec jsonCodec() {
        return codec;
    }

    @Override
    public void insertNew(Connection conn, EventEnvelope event) {
        insert(conn, List.of(event), null);
    }

    @Override
    public void insertBatch(Connection conn, List<EventEnvelope> events) {
        insert(conn, events, null);
    }

    @Override
    public void insertLeased(Connection conn, List<EventEnvelope> events, String owner) {
        insert(conn, events, Objects.requireNonNull(owner, "owner"));
    }

    private void insert(Connection conn, List<EventEnvelope> events, @Nullable String owner) {
        if (events.isEmpty()) {
            return;
        }
        try {
            dialect().prepareNow(conn);
            strategies.insert().insert(conn, events, owner);
        } catch (SQLException e) {
            throw SqlErrors.insertFailed(conn, table, events, e);
        }
    }

    @Override
    public int markDone(Connection conn, String eventId) {
        return update("markDone", eventId, conn, markDoneSql, statement -> statement.setString(1, eventId));
    }

    @Override
    public int markRetry(Connection conn, String eventId, Instant nextAt, @Nullable String error) {
        return update("markRetry", eventId, conn, markRetrySql, statement -> {
            table.times().bind(statement, 1, nextAt);
            statement.setString(2, StoredError.clean(error));
            statement.setString(3, eventId);
        });
    }

    @Override
    public int markDead(Connection conn, String eventId, @Nullable String error) {
        return update("markDead", eventId, conn, markDeadSql, statement -> {
            statement.setString(1, StoredError.clean(error));
            statement.setString(2, eventId);
        });
    }

    @Override
    public List<OutboxEvent> pollPending(Connection conn, Instant now, Duration skipRecent, int limit) {
        return step(
                "pollPending",
                conn,
                () -> JdbcTemplate.query(
                        conn,
                        pollPendingSql,
                        statement -> {
                            table.times().bind(statement, 1, now);
                            table.times().bind(statement, 2, now.minus(skipRecent));
                            statement.setInt(3, limit);
                        },
                        table::read));
    }

    @Override
    public List<OutboxEvent> claimPending(
            Connection conn, String ownerId, Instant now, Instant lockExpiry, Duration skipRecent, int limit) {
        Objects.requireNonNull(ownerId, "ownerId");
        return claim(
                "claimPending",
                conn,
                () -> strategies.pendingClaim().claim(conn, ownerId, now, lockExpiry, skipRecent, limit));
    }

    @Override
    public List<OutboxEvent> claim(Connection conn, ClaimRequest request) {
        return claim("claim", conn, () -> strategies.claim().claim(conn, request));
    }

    @Override
    public List<OutboxEvent> claimOrdered(Connection conn, ClaimRequest request) {
        ClaimStrategy ordered = strategies.orderedClaim();
        if (ordered == null) {
            throw new UnsupportedOperationException(
                    getClass().getName() + " has no strategy for ordered claims: it does not support ordered delivery");
        }
        return claim("claimOrdered", conn, () -> ordered.claim(conn, request));
    }

    private List<OutboxEvent> claim(String step, Connection conn, OwnTransaction.Work<List<OutboxEvent>> claim) {
        return step(step, conn, () -> OwnTransaction.runRetryingAt(dialect().claimIsolation(), conn, claim));
    }

    @Override
    public Set<String> settle(Connection conn, String owner, List<Settlement> settlements) {
        return settlements.isEmpty()
                ? Set.of()
                : step("settle", conn, () -> strategies.settlement().settle(conn, owner, settlements));
    }

    @Override
    public Set<String> lockedRows(Connection conn, Collection<String> eventIds) {
        return eventIds.isEmpty()
                ? Set.of()
                : step("lockedRows", conn, () -> strategies.settlement().locked(conn, eventIds));
    }

    @Override
    public Set<String> renew(Connection conn, String owner, Collection<String> eventIds) {
        return eventIds.isEmpty()
                ? Set.of()
                : step("renew", conn, () -> strategies.settlement().renew(conn, owner, eventIds));
    }

    @Override
    public int expireOthers(Connection conn, String owner) {
        return update("expireOthers", null, conn, expireOthersSql, statement -> {
            statement.setLong(1, SqlDialect.micros(LONG_AGO));
            statement.setString(2, owner);
        });
    }

    @Override
    public boolean beginAttempt(Connection conn, String owner, String eventId, int attempts) {
        return update("beginAttempt", eventId, conn, beginAttemptSql, statement -> {
                    statement.setInt(1, attempts);
                    statement.setString(2, eventId);
                    statement.setString(3, owner);
                })
                > 0;
    }

    @Override
    public OptionalInt countPending(Connection conn, int atMost) {
        return step("countPending", conn, () -> {
            int fresh = lookup().count(conn, EventStatus.NEW, atMost);
            int again = lookup().count(conn, EventStatus.RETRY, atMost);
            return OptionalInt.of(Math.min(atMost, fresh + again));
        });
    }

    @Override
    public OptionalInt countDead(Connection conn, int atMost) {
        return step("countDead", conn, () -> OptionalInt.of(lookup().count(conn, EventStatus.DEAD, atMost)));
    }

    @Override
    public @Nullable Duration oldestPendingAge(Connection conn) {
        Duration oldest = null;
        for (EventStatus status : List.of(EventStatus.NEW, EventStatus.RETRY)) {
            List<Duration> ages = step(
                    "oldestPendingAge",
                    conn,
                    () -> JdbcTemplate.query(
                            conn,
                            oldestPendingSql,
                            statement -> statement.setInt(1, status.code()),
                            row -> Duration.between(
                                    table.times().read(row, 1), table.times().read(row, 2))));
            for (Duration age : ages) {
                if (oldest == null || age.compareTo(oldest) > 0) {
                    oldest = age.isNegative() ? Duration.ZERO : age; // created with a clock that is ahead
                }
            }
        }
        return oldest;
    }

    @Override
    public void verifySchema(Connection conn) {
        step("verifySchema", conn, () -> {
            SchemaCheck.verify(conn, table, "outbox/schema/" + name() + ".sql");
            SchemaCheck.warnOfMissingIndexes(conn, schema(), table);
            return table;
        });
    }

    @Override
    public void verifyWritable(Connection conn, boolean delivers) {
        SchemaCheck.verifyWritable(conn, table, delivers);
    }

    @Override
    public void verifyOrderedSchema(Connection conn) {
        verifySchema(conn);
        step("verifyOrderedSchema", conn, () -> {
            SchemaCheck.verifyOrdered(conn, table, "outbox/schema/" + name() + "-ordered.sql");
            SchemaCheck.warnOfMissingIndexes(conn, orderedSchema(), table);
            return table;
        });
    }

    @Override
    public List<OutboxEvent> queryDead(
            Connection conn, @Nullable String eventType, @Nullable String aggregateType, int limit) {
        return step("queryDead", conn, () -> deadRows.query(conn, eventType, aggregateType, limit));
    }

    @Override
    public int countDead(Connection conn, @Nullable String eventType) {
        return step("countDead", conn, () -> deadRows.count(conn, eventType));
    }

    /**
     * {@inheritDoc} The row is due at once and has no lease. {@code last_error} is kept, as after a successful retry:
     * it contains the last error.
     */
    @Override
    public int replayDead(Connection conn, String eventId) {
        return step("replayDead", conn, () -> deadRows.replay(conn, eventId));
    }

    @Override
    public void markUnannounced(Connection conn, Collection<String> eventIds) {
        step("markUnannounced", conn, () -> deadRows.markUnannounced(conn, eventIds));
    }

    @Override
    public List<DeadRow> unannounced(Connection conn, Duration retryAfter, int limit) {
        return step("unannounced", conn, () -> {
            dialect().prepareNow(conn);
            return deadRows.unannounced(conn, retryAfter, limit);
        });
    }

    @Override
    public boolean beginAnnouncement(Connection conn, String eventId, Duration retryAfter) {
        return step("beginAnnouncement", conn, () -> {
            dialect().prepareNow(conn);
            return deadRows.beginAnnouncement(conn, eventId, retryAfter);
        });
    }

    @Override
    public void announced(Connection conn, String eventId) {
        step("announced", conn, () -> deadRows.announced(conn, eventId));
    }

    @Override
    public int skip(Connection conn, String eventId) {
        return step("skip", conn, () -> deadRows.skip(conn, eventId));
    }

    @Override
    public int park(Connection conn, String eventId) {
        return step("park", conn, () -> deadRows.park(conn, eventId));
    }

    private int update(String step, @Nullable String eventId, Connection conn, String sql, JdbcTemplate.Binder binder) {
        try {
            dialect().prepareNow(conn);
            return JdbcTemplate.update(conn, sql, binder);
        } catch (SQLException e) {
            throw SqlErrors.failed(step, table, eventId, e);
        }
    }

    private <T> T step(String step, Connection conn, OwnTransaction.Work<T> work) {
        try {
            dialect().prepareNow(conn);
            return work.run();
        } catch (SQLException e) {
            throw SqlErrors.failed(step, table, null, e);
        }
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + "[" + table + "]";
    }
}
