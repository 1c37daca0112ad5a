package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.EventTable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.SqlDialect;
import outbox.model.OutboxEvent;
import outbox.spi.ClaimRequest;

/**
 * Leases rows so that the order of each aggregate can be kept: a row only if everything before it that is still in its
 * way is the claimer's too, by this claim or by an earlier one.
 *
 * <h2>Three steps</h2>
 *
 * <ol>
 *   <li>Lock the first rows, by {@code seq}, that nobody else has locked and before which nothing is in the way that the
 *       claimer cannot have: held by another node, not due yet, or dead and not parked. So a blocked aggregate does not
 *       take the place of others. InnoDB locks all it looks at on the way, and outcomes of other nodes would wait for it:
 *       there the rows are found without locks, and then locked by key.
 *   <li>Look again, with a fresh snapshot, at everything in the way of the aggregates found. Of each aggregate only the
 *       rows from its first on are taken that are all locked here or held by the claimer. A row that another node is
 *       claiming at this very moment was skipped in step one, is seen here, and holds back those behind it.
 *   <li>Write the lease by key, of as many as the bytes of the claim allow, from the first on.
 * </ol>
 *
 * Asking for every row what is before it is half the cost, and the second look finds it out anyhow. So new rows are
 * locked without asking first. Only if that brings too few, because blocked aggregates are in front, this claim and some
 * more ask.
 *
 * <p>Needs READ COMMITTED: at a higher level the second look would see the past.
 *
 * <h2>The shape of the first statement</h2>
 *
 * It must walk the index on {@code (status, seq)} from its start and stop at the limit, also on a table without
 * statistics. {@code IS TRUE} keeps the index on the due time out of the race, and a subquery that returns a blocking
 * row is looked up by the index on the aggregate for each row, where {@code NOT EXISTS} would become a join of
 * everything. {@link Lookup} says how a database is led to that index. Thread-safe.
 */
public final class OrderedClaim implements ClaimStrategy {
    /** For how many claims it is worth to ask once asking was necessary. */
    private static final int CAREFUL_CLAIMS = 16;

    private static final String FREE = """
            (available_at <= {now}) IS TRUE
              AND (locked_by IS NULL OR locked_at IS NULL OR locked_at < {now-?})
            """.strip();
    private static final String FIRST = """
            SELECT {first columns} FROM {table} e
            WHERE e.status = {status} AND %s
              AND {blockers}
            ORDER BY e.seq LIMIT ? {lock}
            """.formatted(FREE);
    private static final String LOCK_BY_KEY = """
            SELECT %s, %s, seq FROM {table by key}
            WHERE event_id IN ({ids}) AND status + 0 IN ({pending}) AND %s
            FOR UPDATE SKIP LOCKED
            """.formatted(EventRows.COLUMNS_TO_CLAIM, EventRows.FORMER_LEASE, FREE);

    private static final String BLOCKER = """
            (SELECT b.seq FROM {table} b {hint}
            WHERE b.aggregate_id = e.aggregate_id AND b.aggregate_type = e.aggregate_type AND %s AND (%s) %s) IS NULL
            """;
    private static final String DEAD = "b.status = {dead} AND (b.locked_by IS NULL OR b.locked_by <> {parked})";
    private static final String UNAVAILABLE = """
            (b.locked_by IS NULL OR b.locked_by <> ?)
            AND (b.available_at > {now} OR b.locked_by IS NOT NULL AND b.locked_at >= {now-?})
            """;

    private static final String STILL_IN_THE_WAY = """
            seq <= ? AND status IN ({pending}, {dead}) AND (status <> {dead} OR locked_by IS NULL OR locked_by <> {parked})
            """;

    /** How a database is brought to look for a blocking row by the index on the aggregate. */
    public enum Lookup {
        /** By wanting the first one: a partial index of undelivered rows has them in order. */
        FIRST_IN_ORDER(
                true,
                1,
                BLOCKER.formatted(
                        "b.status IN ({pending}, {dead}) AND b.seq < e.seq",
                        DEAD + " OR b.status <> {dead} AND " + UNAVAILABLE,
                        "ORDER BY b.seq LIMIT 1"),
                """
                SELECT b.event_id, b.aggregate_type, b.aggregate_id, b.locked_by
                FROM (SELECT DISTINCT unnest(ARRAY[{ids}]) AS id) k CROSS JOIN LATERAL (
                  SELECT event_id, aggregate_type, aggregate_id, locked_by, seq FROM {table}
                  WHERE aggregate_id = k.id AND %s
                  ORDER BY seq OFFSET 0) b
                ORDER BY b.seq
                """.formatted(STILL_IN_THE_WAY)),
        /**
         * By asking for each status alone, which makes that index the only one that fits closely. The sum makes the
         * unique index on {@code seq} useless, which would be walked through all that is done.
         */
        EACH_STATUS(
                false,
                2,
                BLOCKER.formatted("b.status = {new} AND b.seq + 0 < e.seq", UNAVAILABLE, "LIMIT 1")
                        + "AND "
                        + BLOCKER.formatted("b.status = {retry} AND b.seq + 0 < e.seq", UNAVAILABLE, "LIMIT 1")
                        + "AND "
                        + BLOCKER.formatted("b.status = {dead} AND b.seq + 0 < e.seq", DEAD, "LIMIT 1"),
                """
                SELECT event_id, aggregate_type, aggregate_id, locked_by FROM {table} {hint}
                WHERE aggregate_id IN ({ids}) AND %s
                ORDER BY seq
                """.formatted(STILL_IN_THE_WAY));

        /** Whether the first rows can be locked as they are found, and no others are. */
        private final boolean locks;

        /** How often owner and lease time are parameters of it. */
        private final int parameterPairs;

        private final String blockers;

        /** Everything in the way of some aggregates; parameters are their ids and the last {@code seq}. */
        private final String lookAgain;

        Lookup(boolean locks, int parameterPairs, String blockers, String lookAgain) {
            this.locks = locks;
            this.parameterPairs = parameterPairs;
            this.blockers = blockers;
            this.lookAgain = lookAgain;
        }
    }

    private final Lookup lookup;
    private final EventRows rows;
    private final String firstRetriesSql;
    private final String firstNewSql;
    private final String firstNewUnaskedSql;
    private final String lockByKeySql;
    private final String lookAgainSql;
    private final LeaseByKey lease;
    private final LargeValues largeValues;

    private final AtomicInteger careful = new AtomicInteger();

    private record Sequenced(OutboxEvent event, long seq) {}

    private record Key(String aggregateType, String aggregateId) {}

    private record InTheWay(
            String eventId, Key key, @Nullable String lockedBy) {}

    /** @param hint which index the lookup is to use, for databases that guess wrong on a table without statistics */
    public OrderedClaim(EventTable table, Lookup lookup, String hint) {
        this.rows = new EventRows(table);
        SqlDialect dialect = table.dialect();
        this.lookup = lookup;
        String first = FIRST.replace(
                        "{first columns}",
                        lookup.locks
                                ? EventRows.COLUMNS_TO_CLAIM + ", " + EventRows.FORMER_LEASE + ", seq"
                                : "event_id")
                .replace("{lock}", lookup.locks ? "FOR UPDATE SKIP LOCKED" : "");
        first = LargeValues.claimed(first, dialect);
        String firstAsked = first.replace("{blockers}", lookup.blockers).replace("{hint}", hint);
        this.firstRetriesSql = table.sql(firstAsked.replace("{status}", "{retry}"));
        this.firstNewSql = table.sql(firstAsked.replace("{status}", "{new}"));
        this.firstNewUnaskedSql = table.sql(first.replace("{blockers}", "1 = 1").replace("{status}", "{new}"));
        this.lockByKeySql = table.sql(LargeValues.claimed(LOCK_BY_KEY, dialect));
        this.lookAgainSql = table.sql(lookup.lookAgain.replace("{hint}", hint));
        this.lease = new LeaseByKey(table);
        this.largeValues = new LargeValues(table);
    }

    @Override
    public List<OutboxEvent> claim(Connection conn, ClaimRequest request) throws SQLException {
        List<Sequenced> retries = lock(conn, request, firstRetriesSql, lookup.parameterPairs);
        List<OutboxEvent> taken = null;
        if (careful.get() == 0) {
            List<Sequenced> all = lock(conn, request, firstNewUnaskedSql, 0);
            taken = unblocked(conn, request, retries, all);
            if (all.size() == request.limit() && 2 * taken.size() < request.limit()) {
                taken = null; // blocked aggregates took the place of others
                careful.set(CAREFUL_CLAIMS);
            }
        } else {
            careful.decrementAndGet();
        }
        if (taken == null) {
            taken = unblocked(conn, request, retries, lock(conn, request, firstNewSql, lookup.parameterPairs));
        }
        List<OutboxEvent> fitting = new ClaimBytes(request.maxBytes()).fitting(taken, event -> event);
        lease.write(conn, request.owner(), fitting);
        return largeValues.read(conn, fitting);
    }

    private List<Sequenced> lock(Connection conn, ClaimRequest request, String firstSql, int parameterPairs)
            throws SQLException {
        long leaseMicros = SqlDialect.micros(request.leaseTime());
        JdbcTemplate.Binder binder = statement -> {
            int index = 1;
            if (lookup.locks) {
                statement.setString(index++, request.owner());
            }
            statement.setLong(index++, leaseMicros);
            for (int i = 0; i < parameterPairs; i++) {
                statement.setString(index++, request.owner());
                statement.setLong(index++, leaseMicros);
            }
            statement.setInt(index, request.limit());
        };
        if (lookup.locks) {
            return JdbcTemplate.query(conn, firstSql, binder, this::read);
        }
        List<Sequenced> locked = new ArrayList<>();
        List<String> first = JdbcTemplate.query(conn, firstSql, binder, row -> row.getString(1));
        for (InList ids : InList.split(first, InList.LARGEST)) {
            locked.addAll(JdbcTemplate.query(
                    conn,
                    lockByKeySql.replace("{ids}", ids.placeholders()),
                    statement -> {
                        statement.setString(1, request.owner());
                        statement.setLong(ids.bind(statement, 2), leaseMicros);
                    },
                    this::read));
        }
        return locked;
    }

    private Sequenced read(ResultSet row) throws SQLException {
        return new Sequenced(rows.readClaimed(row), row.getLong("seq"));
    }

    /** Of the first rows, those of which everything in their way is the claimer's. */
    private List<OutboxEvent> unblocked(
            Connection conn, ClaimRequest request, List<Sequenced> retries, List<Sequenced> fresh) throws SQLException {
        List<Sequenced> locked = new ArrayList<>(retries);
        locked.addAll(fresh);
        if (locked.isEmpty()) {
            return List.of();
        }
        locked.sort(Comparator.comparingLong(Sequenced::seq));
        List<OutboxEvent> first =
                locked.stream().limit(request.limit()).map(Sequenced::event).toList();
        return unblocked(
                conn, request.owner(), first, locked.get(first.size() - 1).seq());
    }

    private List<OutboxEvent> unblocked(Connection conn, String owner, List<OutboxEvent> locked, long lastSeq)
            throws SQLException {
        Set<String> lockedIds = new HashSet<>();
        Set<String> aggregateIds = new HashSet<>();
        for (OutboxEvent event : locked) {
            lockedIds.add(event.eventId());
            if (event.aggregateId() != null) {
                aggregateIds.add(event.aggregateId());
            }
        }
        Set<Key> blocked = new HashSet<>();
        Set<String> free = new HashSet<>();
        for (InList ids : InList.split(aggregateIds, InList.LARGEST)) {
            for (InTheWay row : lookAgain(conn, ids, lastSeq)) {
                if (lockedIds.contains(row.eventId())) {
                    if (!blocked.contains(row.key())) {
                        free.add(row.eventId());
                    }
                } else if (!owner.equals(row.lockedBy())) {
                    blocked.add(row.key());
                }
            }
        }
        return locked.stream()
                .filter(event -> event.aggregateId() == null || free.contains(event.eventId()))
                .toList();
    }

    private List<InTheWay> lookAgain(Connection conn, InList ids, long lastSeq) throws SQLException {
        return JdbcTemplate.query(
                conn,
                lookAgainSql.replace("{ids}", ids.placeholders()),
                statement -> statement.setLong(ids.bind(statement, 1), lastSeq),
                row -> new InTheWay(
                        row.getString(1),
                        new Key(String.valueOf(row.getString(2)), String.valueOf(row.getString(3))),
                        row.getString(4)));
    }
}
