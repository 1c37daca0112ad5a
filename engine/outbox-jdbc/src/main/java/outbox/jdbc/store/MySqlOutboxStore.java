package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableNames;
import outbox.jdbc.TimeColumns;
import outbox.jdbc.partition.DailyPartitions;
import outbox.jdbc.purge.MySqlEventPurger;
import outbox.model.OutboxEvent;
import outbox.spi.ClaimRequest;
import outbox.spi.Election;
import outbox.spi.EventPurger;
import outbox.spi.Settlement;
import outbox.util.JsonCodec;

/**
 * The outbox table on MySQL from version 8 and on what speaks its language. Claims run at READ COMMITTED, whatever the
 * connection is set to: with the gap locks of REPEATABLE READ they would stop the writers. Thread-safe.
 *
 * <p>A server that does not know {@code SKIP LOCKED} (MySQL 5.7, TiDB, MariaDB before 10.6) is served by the claim of
 * the specification, {@code UPDATE … ORDER BY … LIMIT}: right as well, but nodes wait for each other.
 */
public class MySqlOutboxStore extends AbstractJdbcOutboxStore {
    private static final SqlDialect DIALECT = new SqlDialect(
            "UTC_TIMESTAMP(6)",
            "UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND",
            "UTC_TIMESTAMP(6) - INTERVAL ? MICROSECOND",
            "?",
            TimeColumns.UTC_DATE_TIME,
            " FORCE INDEX (PRIMARY)",
            "LENGTH({column})",
            "{column}");

    private static final String LOCK_DUE = """
            SELECT %s, %s, available_at FROM {table}
            WHERE status = ? AND available_at <= {now}
              AND (locked_by IS NULL OR locked_at IS NULL OR locked_at < {now-?}) {recent}
            ORDER BY available_at LIMIT ? FOR UPDATE SKIP LOCKED
            """.formatted(EventRows.COLUMNS_TO_CLAIM, EventRows.FORMER_LEASE);

    private final SkipLockedClaim claim;
    private final OrderedClaim orderedClaim;
    private final MarkingClaim markingClaim;
    private volatile boolean skipsLocked = true;

    public MySqlOutboxStore() {
        this(TableNames.DEFAULT_TABLE);
    }

    public MySqlOutboxStore(String tableName) {
        this(tableName, JsonCodec.getDefault());
    }

    public MySqlOutboxStore(String tableName, JsonCodec codec) {
        super(tableName, codec, DIALECT);
        this.orderedClaim = new OrderedClaim(
                tableName(),
                DIALECT,
                rows(),
                OrderedClaim.Lookup.EACH_STATUS,
                "FORCE INDEX (" + OutboxSchema.indexName(tableName(), "order") + ")");
        this.claim = new SkipLockedClaim(tableName(), DIALECT, rows(), LOCK_DUE);
        this.markingClaim = new MarkingClaim(tableName(), DIALECT, rows(), MarkingClaim.Marking.FIRST_ROWS);
    }

    @Override
    public String name() {
        return "mysql";
    }

    @Override
    public List<String> jdbcUrlPrefixes() {
        return List.of("jdbc:mysql:", "jdbc:tidb:");
    }

    @Override
    public MySqlOutboxStore withTable(String tableName) {
        return new MySqlOutboxStore(tableName, jsonCodec());
    }

    @Override
    public MySqlOutboxStore withJsonCodec(JsonCodec codec) {
        return new MySqlOutboxStore(tableName(), codec);
    }

    @Override
    public EventPurger purger() {
        return new MySqlEventPurger(tableName());
    }

    @Override
    public DailyPartitions dailyPartitions() {
        return DailyPartitions.onInnoDb(tableName(), election());
    }

    @Override
    public Election election() {
        return new NamedLockElection(tableName());
    }

    @Override
    List<OutboxEvent> claimPendingRows(
            Connection conn, String owner, Instant now, Instant lockExpiry, Duration skipRecent, int limit)
            throws SQLException {
        return markingClaim.claim(conn, owner, now, lockExpiry, skipRecent, limit, Long.MAX_VALUE);
    }

    @Override
    List<OutboxEvent> claimRows(Connection conn, ClaimRequest request) throws SQLException {
        return skippingLocked(() -> claim.claim(conn, request), () -> {
            Instant now = clock(conn);
            return markingClaim.claim(
                    conn,
                    request.owner(),
                    now,
                    now.minus(request.leaseTime()),
                    request.skipRecent(),
                    request.limit(),
                    request.maxBytes());
        });
    }

    /**
     * A row may be locked by somebody who takes his time. By default the server would wait 50 seconds for him, and the
     * outcomes of all other events with it.
     */
    @Override
    Set<String> settleRows(Connection conn, String owner, List<Settlement> settlements) throws SQLException {
        return conn.getAutoCommit()
                ? LockWait.brief(conn, () -> super.settleRows(conn, owner, settlements))
                : super.settleRows(conn, owner, settlements);
    }

    @Override
    Set<String> lockedNow(Connection conn, Collection<String> eventIds) throws SQLException {
        return skippingLocked(() -> super.lockedNow(conn, eventIds), Set::of);
    }

    @Override
    Set<String> renewRows(Connection conn, String owner, Collection<String> eventIds) throws SQLException {
        return skippingLocked(() -> super.renewRows(conn, owner, eventIds), () -> renewWaiting(conn, owner, eventIds));
    }

    /** Remembers a server that does not understand {@code SKIP LOCKED}. */
    private <T> T skippingLocked(OwnTransaction.Work<T> modern, OwnTransaction.Work<T> old) throws SQLException {
        if (skipsLocked) {
            try {
                return modern.run();
            } catch (SQLException e) {
                if (!SqlErrors.isUnsupportedSyntax(e)) {
                    throw e;
                }
                skipsLocked = false;
            }
        }
        return old.run();
    }

    @Override
    List<OutboxEvent> claimOrderedRows(Connection conn, ClaimRequest request) throws SQLException {
        return claimTransaction(conn, () -> orderedClaim.claim(conn, request));
    }

    private Instant clock(Connection conn) throws SQLException {
        return JdbcTemplate.query(
                        conn,
                        "SELECT " + DIALECT.now(),
                        JdbcTemplate.Binder.NOTHING,
                        row -> DIALECT.times().read(row, 1))
                .get(0);
    }

    @Override
    <T> T claimTransaction(Connection conn, OwnTransaction.Work<T> work) throws SQLException {
        int level = conn.getTransactionIsolation();
        if (level == Connection.TRANSACTION_READ_COMMITTED) {
            return super.claimTransaction(conn, work);
        }
        // In force from the next transaction on: the claim's own, or the caller's if this is its first statement.
        conn.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        T result;
        try {
            result = super.claimTransaction(conn, work);
        } catch (SQLException | RuntimeException | Error e) {
            try {
                conn.setTransactionIsolation(level);
            } catch (SQLException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
        conn.setTransactionIsolation(level);
        return result;
    }
}
