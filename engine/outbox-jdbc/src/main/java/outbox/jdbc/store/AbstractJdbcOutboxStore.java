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
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableNames;
import outbox.jdbc.archive.EventArchive;
import outbox.jdbc.partition.DailyPartitions;
import outbox.jdbc.purge.AgePurger;
import outbox.jdbc.purge.ArchivingEventPurger;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.spi.ClaimRequest;
import outbox.spi.Election;
import outbox.spi.EventPurger;
import outbox.spi.LeasingOutboxStore;
import outbox.spi.Settlement;
import outbox.util.JsonCodec;
import outbox.util.StoredError;

/**
 * The outbox table on JDBC, in SQL that H2 understands and most databases with it. A subclass names its database and
 * replaces what that one does differently.
 *
 * <p>Methods of the specification take the times they are given; those of {@link LeasingOutboxStore} go by the
 * database's clock. Nothing here closes a connection. Statements that belong together become part of the caller's
 * transaction; on a connection in autocommit mode they get one of their own.
 *
 * <p>Thread-safe. Errors of the database become {@link outbox.jdbc.OutboxStoreException}, an id that
 * exists already {@link outbox.spi.DuplicateEventException}.
 */
public abstract class AbstractJdbcOutboxStore implements LeasingOutboxStore {
    private static final String MARK_DONE = """
            UPDATE {table} SET status = 1, done_at = {now}, locked_by = NULL, locked_at = NULL
            WHERE event_id = ? AND status <> 1
            """;
    private static final String MARK_RETRY = """
            UPDATE {table} SET status = 2, attempts = attempts + 1, available_at = ?, last_error = ?,
              locked_by = NULL, locked_at = NULL
            WHERE event_id = ? AND status <> 1
            """;
    private static final String MARK_DEAD = """
            UPDATE {table} SET status = 3, last_error = ?, locked_by = NULL, locked_at = NULL
            WHERE event_id = ? AND status <> 1
            """;
    private static final String POLL_PENDING = """
            SELECT %s FROM {table}
            WHERE status IN (0, 2) AND available_at <= ? AND created_at <= ?
            ORDER BY created_at LIMIT ?
            """.formatted(EventRows.COLUMNS);
    /** Not ordered: with ORDER BY, H2 locks all rows before it takes the first ones. The index range is in order. */
    private static final String LOCK_DUE = """
            SELECT %s, %s, available_at FROM {table}
            WHERE status = ? AND available_at <= {now}
              AND (locked_by IS NULL OR locked_at IS NULL OR locked_at < {now-?}) {recent}
            FETCH FIRST ? ROWS ONLY FOR UPDATE SKIP LOCKED
            """.formatted(EventRows.COLUMNS_TO_CLAIM, EventRows.FORMER_LEASE);

    private static final String EXPIRE_OTHERS = """
            UPDATE {table} SET locked_at = {now-?}
            WHERE status IN (0, 2) AND locked_by IS NOT NULL AND locked_by <> ?
            """;
    /** Longer than any lease. */
    private static final Duration LONG_AGO = Duration.ofDays(365);

    private static final String BEGIN_ATTEMPT = """
            UPDATE {table by key} SET attempts = ? WHERE event_id = ? AND locked_by = ? AND status IN (0, 2)
            """;
    private static final String OLDEST_PENDING = """
            SELECT available_at, {now} FROM {table}
            WHERE status = ? AND available_at <= {now}
            ORDER BY status, available_at LIMIT 1
            """;

    private final String table;
    private final JsonCodec codec;
    private final SqlDialect dialect;
    private final EventRows rows;
    private final MultiRowInsert multiRowInsert;
    private final SkipLockedClaim perStatusClaim;
    private final KeyedSettlement settlement;
    private final OrderedClaim orderedClaim;

    private final String markDoneSql;
    private final String markRetrySql;
    private final String markDeadSql;
    private final String pollPendingSql;
    private final MarkingClaim twoPhaseClaim;
    private final String expireOthersSql;
    private final String beginAttemptSql;
    private final String oldestPendingSql;
    private final DeadLetters deadLetters;

    /** @throws IllegalArgumentException if {@code tableName} is not {@code table} or {@code schema.table} */
    protected AbstractJdbcOutboxStore(String tableName, JsonCodec codec, SqlDialect dialect) {
        this.table = TableNames.validate(tableName);
        this.codec = Objects.requireNonNull(codec, "codec");
        this.dialect = Objects.requireNonNull(dialect, "dialect");
        this.rows = new EventRows(codec, dialect.times());
        this.multiRowInsert = new MultiRowInsert(table, dialect, rows);
        this.perStatusClaim = new SkipLockedClaim(table, dialect, rows, LOCK_DUE);
        this.settlement = new KeyedSettlement(table, dialect);
        this.orderedClaim = new OrderedClaim(table, dialect, rows, OrderedClaim.Lookup.EACH_STATUS, "");
        this.markDoneSql = sql(MARK_DONE);
        this.markRetrySql = sql(MARK_RETRY);
        this.markDeadSql = sql(MARK_DEAD);
        this.pollPendingSql = sql(POLL_PENDING);
        this.twoPhaseClaim = new MarkingClaim(table, dialect, rows, MarkingClaim.Marking.CANDIDATES);
        this.expireOthersSql = sql(EXPIRE_OTHERS);
        this.beginAttemptSql = sql(BEGIN_ATTEMPT);
        this.oldestPendingSql = sql(OLDEST_PENDING);
        this.deadLetters = new DeadLetters(table, dialect, rows);
    }

    /** The text with the table and the expressions of this database in it. */
    final String sql(String template) {
        return dialect.render(template, table);
    }

    final EventRows rows() {
        return rows;
    }

    final SqlDialect dialect() {
        return dialect;
    }

    /** By which {@link JdbcOutboxStores#get} finds this store. */
    public abstract String name();

    /** Beginnings of the JDBC URLs this store is for, such as {@code jdbc:h2:}. */
    public abstract List<String> jdbcUrlPrefixes();

    /** The same store on the same table with another codec for headers. */
    public abstract AbstractJdbcOutboxStore withJsonCodec(JsonCodec codec);

    /** The same store on another table. */
    public AbstractJdbcOutboxStore withTable(String tableName) {
        throw new UnsupportedOperationException(
                getClass().getName() + " does not implement withTable: make one for table " + tableName + " yourself");
    }

    /** The DDL of this store's table. */
    public OutboxSchema schema() {
        return OutboxSchema.of(name(), table);
    }

    /** The DDL that ordered delivery needs on top of {@link #schema()}. */
    public OutboxSchema orderedSchema() {
        return OutboxSchema.of(name() + "-ordered", table);
    }

    /**
     * The DDL of this store's table, cut into days, in place of {@link #schema()}.
     *
     * @throws UnsupportedOperationException if the database has no partitions
     */
    public OutboxSchema partitionedSchema() {
        dailyPartitions();
        return OutboxSchema.of(name() + "-partitioned", table);
    }

    /** The DDL of a table that takes archived rows; see {@link outbox.jdbc.archive.EventArchive#inTable}. */
    public OutboxSchema archiveSchema(String archiveTable) {
        return OutboxSchema.of(name() + "-archive", archiveTable);
    }

    /** A purger for this store's table that archives rows before it deletes them. */
    public EventPurger archivingPurger(EventArchive archive) {
        return new ArchivingEventPurger(table, dialect.times(), archive, dialect.byKey());
    }

    /**
     * A purger that goes by the age of rows alone, delivered or not: for append-only tables that are read by CDC. Only a
     * {@code writerOnly()} outbox accepts it.
     */
    public EventPurger agePurger() {
        return new AgePurger(table, dialect.times(), EventArchive.NONE, dialect.byKey());
    }

    /**
     * Makes and drops the days of a table of {@link #partitionedSchema()}.
     *
     * @throws UnsupportedOperationException if the database has no partitions
     */
    public DailyPartitions dailyPartitions() {
        throw new UnsupportedOperationException(
                name() + " has no partitions; purge " + table + " by retention(...), which deletes row by row");
    }

    /** For looking at rows. */
    public final EventLookup lookup() {
        return new EventLookup(table, dialect);
    }

    /** A purger for this store's table. */
    public abstract EventPurger purger();

    /**
     * Chooses the node that purges this store's table or does other work on it that one should do. Here every node is
     * elected; the stores of this module take a lock of their database.
     */
    public Election election() {
        return Election.UNOPPOSED;
    }

    public final String tableName() {
        return table;
    }

    public final JsonCodec jsonCodec() {
        return codec;
    }

    /** Called before the statements of each method, for databases that have no expression for their clock. */
    void readClock(Connection conn) throws SQLException {}

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
            readClock(conn);
            insertRows(conn, events, owner);
        } catch (SQLException e) {
            throw SqlErrors.insertFailed(table, events, e);
        }
    }

    /**
     * Inserts all of these events, or none.
     *
     * @param owner who leases the events that are due at once; {@code null} for nobody
     */
    void insertRows(Connection conn, List<EventEnvelope> events, @Nullable String owner) throws SQLException {
        multiRowInsert.insert(conn, events, owner);
    }

    @Override
    public int markDone(Connection conn, String eventId) {
        return update("markDone", eventId, conn, markDoneSql, statement -> statement.setString(1, eventId));
    }

    @Override
    public int markRetry(Connection conn, String eventId, Instant nextAt, @Nullable String error) {
        return update("markRetry", eventId, conn, markRetrySql, statement -> {
            dialect.times().bind(statement, 1, nextAt);
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
                            dialect.times().bind(statement, 1, now);
                            dialect.times().bind(statement, 2, now.minus(skipRecent));
                            statement.setInt(3, limit);
                        },
                        rows::read));
    }

    @Override
    public List<OutboxEvent> claimPending(
            Connection conn, String ownerId, Instant now, Instant lockExpiry, Duration skipRecent, int limit) {
        Objects.requireNonNull(ownerId, "ownerId");
        return step(
                "claimPending",
                conn,
                () -> claimTransaction(
                        conn, () -> claimPendingRows(conn, ownerId, now, lockExpiry, skipRecent, limit)));
    }

    /** The rows of the specification's claim, oldest first. */
    List<OutboxEvent> claimPendingRows(
            Connection conn, String owner, Instant now, Instant lockExpiry, Duration skipRecent, int limit)
            throws SQLException {
        return twoPhaseClaim.claim(conn, owner, now, lockExpiry, skipRecent, limit, Long.MAX_VALUE);
    }

    @Override
    public List<OutboxEvent> claim(Connection conn, ClaimRequest request) {
        return step("claim", conn, () -> claimTransaction(conn, () -> claimRows(conn, request)));
    }

    /** Leases due rows, the one that became due first in front. */
    List<OutboxEvent> claimRows(Connection conn, ClaimRequest request) throws SQLException {
        return perStatusClaim.claim(conn, request);
    }

    @Override
    public List<OutboxEvent> claimOrdered(Connection conn, ClaimRequest request) {
        return step("claimOrdered", conn, () -> claimOrderedRows(conn, request));
    }

    /** Leases rows in the order of their aggregates. */
    List<OutboxEvent> claimOrderedRows(Connection conn, ClaimRequest request) throws SQLException {
        return claimTransaction(conn, () -> orderedClaim.claim(conn, request));
    }

    /** Runs the statements of a claim as one; a subclass may want another isolation level for them. */
    <T> T claimTransaction(Connection conn, OwnTransaction.Work<T> work) throws SQLException {
        return OwnTransaction.runRetrying(conn, work);
    }

    @Override
    public Set<String> settle(Connection conn, String owner, List<Settlement> settlements) {
        return settlements.isEmpty() ? Set.of() : step("settle", conn, () -> settleRows(conn, owner, settlements));
    }

    Set<String> settleRows(Connection conn, String owner, List<Settlement> settlements) throws SQLException {
        return settlement.settle(conn, owner, settlements);
    }

    @Override
    public Set<String> lockedRows(Connection conn, Collection<String> eventIds) {
        return eventIds.isEmpty() ? Set.of() : step("lockedRows", conn, () -> lockedNow(conn, eventIds));
    }

    Set<String> lockedNow(Connection conn, Collection<String> eventIds) throws SQLException {
        return settlement.locked(conn, eventIds);
    }

    @Override
    public Set<String> renew(Connection conn, String owner, Collection<String> eventIds) {
        return eventIds.isEmpty() ? Set.of() : step("renew", conn, () -> renewRows(conn, owner, eventIds));
    }

    Set<String> renewRows(Connection conn, String owner, Collection<String> eventIds) throws SQLException {
        return settlement.renew(conn, owner, eventIds, true);
    }

    final Set<String> renewWaiting(Connection conn, String owner, Collection<String> eventIds) throws SQLException {
        return settlement.renew(conn, owner, eventIds, false);
    }

    @Override
    public int expireOthers(Connection conn, String owner) {
        return update("expireOthers", null, conn, expireOthersSql, statement -> {
            statement.setLong(1, Micros.of(LONG_AGO));
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
        for (int status : new int[] {0, 2}) {
            List<Duration> age = step(
                    "oldestPendingAge",
                    conn,
                    () -> JdbcTemplate.query(
                            conn,
                            oldestPendingSql,
                            statement -> statement.setInt(1, status),
                            row -> Duration.between(
                                    dialect.times().read(row, 1),
                                    dialect.times().read(row, 2))));
            if (!age.isEmpty() && (oldest == null || age.get(0).compareTo(oldest) > 0)) {
                oldest = age.get(0);
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
        return step("queryDead", conn, () -> deadLetters.query(conn, eventType, aggregateType, limit));
    }

    @Override
    public int countDead(Connection conn, @Nullable String eventType) {
        return step("countDead", conn, () -> deadLetters.count(conn, eventType));
    }

    /**
     * {@inheritDoc} The row is due at once and belongs to nobody. {@code last_error} stays, as it does when a retry
     * succeeds: it tells what went wrong last, until something else does.
     */
    @Override
    public int replayDead(Connection conn, String eventId) {
        return step("replayDead", conn, () -> deadLetters.replay(conn, eventId));
    }

    @Override
    public int skip(Connection conn, String eventId) {
        return step("skip", conn, () -> deadLetters.skip(conn, eventId));
    }

    @Override
    public int park(Connection conn, String eventId) {
        return step("park", conn, () -> deadLetters.park(conn, eventId));
    }

    private int update(String step, @Nullable String eventId, Connection conn, String sql, JdbcTemplate.Binder binder) {
        try {
            readClock(conn);
            return JdbcTemplate.update(conn, sql, binder);
        } catch (SQLException e) {
            throw SqlErrors.failed(step, table, eventId, e);
        }
    }

    private <T> T step(String step, Connection conn, OwnTransaction.Work<T> work) {
        try {
            readClock(conn);
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
