package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableNames;
import outbox.jdbc.TimeColumns;
import outbox.jdbc.partition.DailyPartitions;
import outbox.jdbc.purge.PostgresEventPurger;
import outbox.model.OutboxEvent;
import outbox.spi.ClaimRequest;
import outbox.spi.Election;
import outbox.spi.EventPurger;
import outbox.spi.Settlement;
import outbox.util.JsonCodec;

/**
 * The outbox table on PostgreSQL: claims and settlements are one statement each, batches are inserted by arrays. The
 * driver's default settings are enough. Thread-safe.
 */
public final class PostgresOutboxStore extends AbstractJdbcOutboxStore {
    /**
     * {@code now()} is when the transaction started, and {@code clock_timestamp()} differs from row to row, which keeps
     * the planner from using it with an index: the start of the statement is the clock for leases.
     */
    private static final String NOW = "statement_timestamp()";

    /**
     * With statistics that are missing, or from a time when little was pending, the planner expects next to nothing and
     * would collect and sort all that is pending before it takes the first rows; the index already has them in order.
     * Holds until the transaction ends.
     */
    static final String NO_BITMAPS = "SET LOCAL enable_bitmapscan = off";

    /**
     * What takes little room, which is told without reading it, is taken for small: its text may be longer if it is
     * compressed, but not by much in sum.
     */
    private static final String BYTES =
            "CASE WHEN pg_column_size({column}) <= 512 THEN 512 ELSE octet_length({column}::text) END";

    private static final SqlDialect DIALECT = new SqlDialect(
            NOW,
            NOW + " + ? * INTERVAL '1 microsecond'",
            NOW + " - ? * INTERVAL '1 microsecond'",
            "CAST(? AS JSONB)",
            TimeColumns.WITH_TIME_ZONE,
            "",
            BYTES,
            "{column}::text");

    private static final String CLAIM_PENDING = """
            UPDATE {table} SET locked_by = ?, locked_at = ?
            WHERE event_id = ANY (ARRAY(
              SELECT event_id FROM {table} WHERE %s
              ORDER BY created_at LIMIT ? FOR UPDATE SKIP LOCKED))
            RETURNING %s
            """.formatted(MarkingClaim.CLAIMABLE, EventRows.COLUMNS);

    private final ArrayInsert arrayInsert;
    private final ArraySettlement settlement;
    private final OrderedClaim orderedClaim;
    private final ReturningClaim claim;
    private final String claimPendingSql;

    public PostgresOutboxStore() {
        this(TableNames.DEFAULT_TABLE);
    }

    public PostgresOutboxStore(String tableName) {
        this(tableName, JsonCodec.getDefault());
    }

    public PostgresOutboxStore(String tableName, JsonCodec codec) {
        super(tableName, codec, DIALECT);
        this.arrayInsert = new ArrayInsert(tableName(), DIALECT, codec);
        this.settlement = new ArraySettlement(tableName(), DIALECT);
        this.orderedClaim = new OrderedClaim(tableName(), DIALECT, rows(), OrderedClaim.Lookup.FIRST_IN_ORDER, "");
        this.claim = new ReturningClaim(tableName(), DIALECT, rows());
        this.claimPendingSql = sql(CLAIM_PENDING);
    }

    @Override
    public String name() {
        return "postgresql";
    }

    @Override
    public List<String> jdbcUrlPrefixes() {
        return List.of("jdbc:postgresql:");
    }

    @Override
    public PostgresOutboxStore withTable(String tableName) {
        return new PostgresOutboxStore(tableName, jsonCodec());
    }

    @Override
    public PostgresOutboxStore withJsonCodec(JsonCodec codec) {
        return new PostgresOutboxStore(tableName(), codec);
    }

    @Override
    public EventPurger purger() {
        return new PostgresEventPurger(tableName());
    }

    @Override
    public DailyPartitions dailyPartitions() {
        return DailyPartitions.onPostgres(tableName(), election());
    }

    @Override
    public Election election() {
        return new AdvisoryLockElection(tableName());
    }

    @Override
    void insertRows(Connection conn, List<EventEnvelope> events, @Nullable String owner) throws SQLException {
        if (events.size() == 1) {
            super.insertRows(conn, events, owner);
        } else {
            arrayInsert.insert(conn, events, owner);
        }
    }

    @Override
    List<OutboxEvent> claimPendingRows(
            Connection conn, String owner, Instant now, Instant lockExpiry, Duration skipRecent, int limit)
            throws SQLException {
        TimeColumns times = dialect().times();
        return EventRows.createdFirst(JdbcTemplate.updateReturning(
                conn,
                claimPendingSql,
                statement -> {
                    statement.setString(1, owner);
                    times.bind(statement, 2, now);
                    times.bind(statement, 3, now);
                    times.bind(statement, 4, now.minus(skipRecent));
                    times.bind(statement, 5, lockExpiry);
                    statement.setInt(6, limit);
                },
                rows()::read));
    }

    @Override
    List<OutboxEvent> claimRows(Connection conn, ClaimRequest request) throws SQLException {
        return claim.claim(conn, request);
    }

    @Override
    List<OutboxEvent> claimOrderedRows(Connection conn, ClaimRequest request) throws SQLException {
        return claimTransaction(conn, () -> {
            JdbcTemplate.update(conn, NO_BITMAPS, JdbcTemplate.Binder.NOTHING);
            return orderedClaim.claim(conn, request);
        });
    }

    @Override
    Set<String> settleRows(Connection conn, String owner, List<Settlement> settlements) throws SQLException {
        return settlement.settle(conn, owner, settlements);
    }

    @Override
    Set<String> renewRows(Connection conn, String owner, Collection<String> eventIds) throws SQLException {
        return settlement.renew(conn, owner, eventIds);
    }
}
