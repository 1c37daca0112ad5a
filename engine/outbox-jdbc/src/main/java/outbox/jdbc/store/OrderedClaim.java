package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.EventTable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.SqlDialect;
import outbox.model.OutboxEvent;
import outbox.spi.ClaimRequest;

/**
 * Claims rows in the order of each aggregate: a row only if all blocking rows before it are leased by the same owner,
 * by this claim or an earlier one.
 *
 * <h2>Three steps</h2>
 *
 * <ol>
 *   <li>Lock the first unlocked rows, by {@code seq}. InnoDB locks every row it scans, and outcomes of other nodes would
 *       wait for that: there the rows are found without locks and then locked by key.
 *   <li>With a fresh snapshot, read all undelivered rows of these aggregates again. Of each aggregate only the leading
 *       rows are taken that are all locked here or leased by the claimer. A row that another node is claiming
 *       concurrently was skipped in step one, is seen here, and blocks those behind it.
 *   <li>Write the leases by key, for as many rows as the byte limit of the claim allows.
 * </ol>
 *
 * <h2>Blocked aggregates</h2>
 *
 * A row is blocked by one before it that is leased by another node, not due yet, or dead and not parked. If step two
 * drops most rows for that reason, the first two steps are repeated, and step one leaves out what is blocked, so that
 * blocked aggregates do not use up the limit: the aggregates that took the most places, by name, and of all others the
 * rows whose aggregate begins with a blocking row. That is one probe of an index for a row, and none for a row of a large
 * aggregate. Looking for a blocking row anywhere before each row would cost the square of the rows of an aggregate.
 *
 * <p>Needs READ COMMITTED: at a higher level step two would use the old snapshot.
 *
 * <h2>The shape of the first statement</h2>
 *
 * It must scan the index on {@code (status, seq)} from its start and stop at the limit, even without statistics. {@code
 * IS TRUE} prevents the use of the index on the due time. A scalar subquery for a blocking row uses the index on the
 * aggregate for each row, while {@code NOT EXISTS} would become a join of all rows. {@link Lookup} defines how each
 * database is made to use that index. Thread-safe.
 */
public final class OrderedClaim implements ClaimStrategy {
    /** How many blocked aggregates are left out by name. */
    private static final int LEFT_OUT = 64;

    /** Between the parts of the name of an aggregate. */
    private static final String SEPARATOR = "\u001f";

    private static final String FREE = """
            (available_at <= {now}) IS TRUE
              AND (locked_by IS NULL OR locked_at IS NULL OR locked_at < {now-?})
            """.strip();
    private static final String FIRST = """
            SELECT {first columns} FROM {table} e
            WHERE e.status = {status} AND %s
              AND {blockers} {left out} {range}
            ORDER BY e.seq LIMIT ? {lock}
            """.formatted(FREE);
    private static final String LOCK_BY_KEY = """
            SELECT %s, %s, seq FROM {table by key}
            WHERE event_id IN ({ids}) AND status + 0 IN ({pending}) AND %s
            FOR UPDATE SKIP LOCKED
            """.formatted(EventRows.COLUMNS_TO_CLAIM, EventRows.FORMER_LEASE, FREE);

    /** That the first undelivered row of an aggregate does not block those behind it. */
    private static final String FRONT = """
            COALESCE((SELECT CASE WHEN %s THEN 1 ELSE 0 END FROM {table} b {hint}
            WHERE b.aggregate_id = e.aggregate_id AND b.aggregate_type = e.aggregate_type AND b.seq < e.seq AND %s
            ORDER BY {in order} LIMIT 1), 0) = 0
            """;

    private static final String NOT_PARKED = "(b.locked_by IS NULL OR b.locked_by <> {parked})";
    private static final String UNAVAILABLE = """
            (b.locked_by IS NULL OR b.locked_by <> ?)
            AND (b.available_at > {now} OR b.locked_by IS NOT NULL AND b.locked_at >= {now-?})
            """;

    private static final String STILL_IN_THE_WAY = """
            seq <= ? AND status IN ({pending}, {dead}) AND (status <> {dead} OR locked_by IS NULL OR locked_by <> {parked})
            """;

    /** How a database is made to find the first row of an aggregate with the index on it. */
    public enum Lookup {
        /** In one query: a partial index of undelivered rows provides the order. */
        FIRST_IN_ORDER(
                true,
                1,
                FRONT.formatted(
                                "b.status = {dead} OR " + UNAVAILABLE,
                                "b.status IN ({pending}, {dead}) AND (b.status <> {dead} OR " + NOT_PARKED + ")")
                        .replace("{in order}", "b.seq"),
                """
                SELECT b.event_id, b.aggregate_type, b.aggregate_id, b.locked_by
                FROM (SELECT DISTINCT unnest(ARRAY[{ids}]) AS id) k CROSS JOIN LATERAL (
                  SELECT event_id, aggregate_type, aggregate_id, locked_by, seq FROM {table}
                  WHERE aggregate_id = k.id AND %s
                  ORDER BY seq OFFSET 0) b
                ORDER BY b.seq
                """.formatted(STILL_IN_THE_WAY)),
        /** In a query for each status, for which that index fits. MySQL sorts, unless the order has all its columns. */
        EACH_STATUS(
                false,
                2,
                (FRONT.formatted(UNAVAILABLE, "b.status = {new}")
                                + "AND "
                                + FRONT.formatted(UNAVAILABLE, "b.status = {retry}")
                                + "AND "
                                + FRONT.formatted("1 = 1", "b.status = {dead} AND " + NOT_PARKED))
                        .replace("{in order}", "b.aggregate_id, b.aggregate_type, b.status, b.seq"),
                """
                SELECT event_id, aggregate_type, aggregate_id, locked_by FROM {table} {hint}
                WHERE aggregate_id IN ({ids}) AND (aggregate_type IN ({types}) OR aggregate_type IS NULL) AND %s
                ORDER BY seq
                """.formatted(STILL_IN_THE_WAY));

        /** Whether the first rows can be locked while they are searched, without locking others. */
        private final boolean locks;

        /** How often owner and lease time are parameters of it. */
        private final int parameterPairs;

        private final String blockers;

        /**
         * All undelivered rows of some aggregates; parameters are their ids, their types if the index has the status
         * behind them, and the last {@code seq}.
         */
        private final String lookAgain;

        Lookup(boolean locks, int parameterPairs, String blockers, String lookAgain) {
            this.locks = locks;
            this.parameterPairs = parameterPairs;
            this.blockers = blockers;
            this.lookAgain = lookAgain;
        }
    }

    /** For a database that needs no types to find the rows of an aggregate. */
    private static final List<InList> NO_TYPES = List.of(new InList(List.of(), 0));

    private final Lookup lookup;
    private final EventRows rows;
    private final Search retries;
    private final Search fresh;
    private final String unblockedSql;
    private final ClaimStart start = ClaimStart.bySeq();
    private final String lockByKeySql;
    private final String lookAgainSql;
    private final LeaseByKey lease;
    private final LargeValues largeValues;

    private record Sequenced(OutboxEvent event, long seq) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Sequenced row && row.seq == seq;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(seq);
        }
    }

    /** Rows from a number on, and before another one. */
    private record SeqRange(@Nullable Long from, @Nullable Long before) {
        static final SeqRange ALL = new SeqRange(null, null);

        String condition() {
            return (from == null ? "" : "AND e.seq >= ? ") + (before == null ? "" : "AND e.seq < ?");
        }

        /** @return the index of the next parameter */
        int bind(PreparedStatement statement, int index) throws SQLException {
            int next = index;
            if (from != null) {
                statement.setLong(next++, from);
            }
            if (before != null) {
                statement.setLong(next++, before);
            }
            return next;
        }
    }

    private record Key(String aggregateType, String aggregateId) {
        static Key of(@Nullable String type, @Nullable String id) {
            return new Key(String.valueOf(type), String.valueOf(id));
        }
    }

    /**
     * How to find the first rows.
     *
     * @param sql the statement, without range
     * @param parameterPairs how often owner and lease time are parameters of it, after those of {@link #FREE}
     * @param leftOut aggregates whose rows are not wanted
     */
    private record Search(String sql, int parameterPairs, List<Key> leftOut) {
        String sql(SeqRange range) {
            String condition = leftOut.isEmpty()
                    ? ""
                    : "AND CONCAT_WS('%s', e.aggregate_type, e.aggregate_id) NOT IN (%s)"
                            .formatted(SEPARATOR, names().placeholders());
            return sql.replace("{left out}", condition).replace("{range}", range.condition());
        }

        /** @return the index of the next parameter */
        int bind(PreparedStatement statement, int index) throws SQLException {
            return leftOut.isEmpty() ? index : names().bind(statement, index);
        }

        private InList names() {
            return InList.of(leftOut.stream()
                    .map(key -> key.aggregateType() + SEPARATOR + key.aggregateId())
                    .toList());
        }
    }

    /**
     * What can be taken of the locked rows.
     *
     * @param dropped how many rows cannot, for each aggregate of which none can
     */
    private record Unblocked(List<OutboxEvent> events, Map<Key, Integer> dropped) {
        List<Key> largestDropped(int most) {
            return dropped.entrySet().stream()
                    .sorted(Map.Entry.<Key, Integer>comparingByValue().reversed())
                    .limit(most)
                    .map(Map.Entry::getKey)
                    .toList();
        }
    }

    private record InTheWay(
            String eventId, Key key, @Nullable String lockedBy) {}

    /** @param hint index hint for databases that choose the wrong index without statistics */
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
        String unblocked = first.replace("{blockers}", lookup.blockers).replace("{hint}", hint);
        this.retries =
                new Search(table.sql(unblocked.replace("{status}", "{retry}")), lookup.parameterPairs, List.of());
        this.fresh =
                new Search(table.sql(first.replace("{blockers}", "1 = 1").replace("{status}", "{new}")), 0, List.of());
        this.unblockedSql = table.sql(unblocked.replace("{status}", "{new}"));
        this.lockByKeySql = table.sql(LargeValues.claimed(LOCK_BY_KEY, dialect));
        this.lookAgainSql = table.sql(lookup.lookAgain.replace("{hint}", hint));
        this.lease = new LeaseByKey(table);
        this.largeValues = new LargeValues(table);
    }

    @Override
    public List<OutboxEvent> claim(Connection conn, ClaimRequest request) throws SQLException {
        List<Sequenced> again = lock(conn, request, retries, SeqRange.ALL, request.limit());
        List<Sequenced> first = lockNew(conn, request, fresh);
        Unblocked found = unblocked(conn, request, again, first);
        if (first.size() == request.limit() && 2 * found.events().size() < request.limit()) {
            Search others = new Search(unblockedSql, lookup.parameterPairs, found.largestDropped(LEFT_OUT));
            found = unblocked(conn, request, again, lockNew(conn, request, others));
        }
        List<OutboxEvent> fitting = new ClaimBytes(request.maxBytes()).fitting(found.events(), event -> event);
        lease.write(conn, request.owner(), fitting);
        return largeValues.read(conn, fitting);
    }

    /** Locks new rows from where earlier claims have come to; a row may be found twice, by two reads. */
    private List<Sequenced> lockNew(Connection conn, ClaimRequest request, Search search) throws SQLException {
        List<Sequenced> found =
                start.claim(request.limit(), new ClaimBytes(Long.MAX_VALUE), new ClaimStart.Reader<Sequenced>() {
                    @Override
                    public List<Sequenced> claim(@Nullable Long from, @Nullable Long before, int limit)
                            throws SQLException {
                        return lock(conn, request, search, new SeqRange(from, before), limit);
                    }

                    @Override
                    public long position(Sequenced row) {
                        return row.seq();
                    }

                    @Override
                    public @Nullable Long now() {
                        return null; // a number is taken before its row can be seen
                    }
                });
        return found.stream().distinct().toList();
    }

    private List<Sequenced> lock(Connection conn, ClaimRequest request, Search search, SeqRange range, int limit)
            throws SQLException {
        long leaseMicros = SqlDialect.micros(request.leaseTime());
        JdbcTemplate.Binder binder = statement -> {
            int index = 1;
            if (lookup.locks) {
                statement.setString(index++, request.owner());
            }
            statement.setLong(index++, leaseMicros);
            for (int i = 0; i < search.parameterPairs(); i++) {
                statement.setString(index++, request.owner());
                statement.setLong(index++, leaseMicros);
            }
            statement.setInt(range.bind(statement, search.bind(statement, index)), limit);
        };
        if (lookup.locks) {
            return JdbcTemplate.query(conn, search.sql(range), binder, this::read);
        }
        List<Sequenced> locked = new ArrayList<>();
        List<String> first = JdbcTemplate.query(conn, search.sql(range), binder, row -> row.getString(1));
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

    /** The rows whose blockers are all leased by the claimer. */
    private Unblocked unblocked(Connection conn, ClaimRequest request, List<Sequenced> retries, List<Sequenced> fresh)
            throws SQLException {
        List<Sequenced> locked = new ArrayList<>(retries);
        locked.addAll(fresh);
        if (locked.isEmpty()) {
            return new Unblocked(List.of(), Map.of());
        }
        locked.sort(Comparator.comparingLong(Sequenced::seq));
        List<OutboxEvent> first =
                locked.stream().limit(request.limit()).map(Sequenced::event).toList();
        return unblocked(
                conn, request.owner(), first, locked.get(first.size() - 1).seq());
    }

    private Unblocked unblocked(Connection conn, String owner, List<OutboxEvent> locked, long lastSeq)
            throws SQLException {
        Set<String> lockedIds = new HashSet<>();
        Set<String> aggregateIds = new HashSet<>();
        Set<String> aggregateTypes = new HashSet<>(Set.of("")); // a list in SQL cannot be empty
        for (OutboxEvent event : locked) {
            lockedIds.add(event.eventId());
            if (event.aggregateId() != null) {
                aggregateIds.add(event.aggregateId());
            }
            if (event.aggregateType() != null) {
                aggregateTypes.add(event.aggregateType());
            }
        }
        Set<Key> blocked = new HashSet<>();
        Set<Key> begun = new HashSet<>();
        Set<String> free = new HashSet<>();
        for (InTheWay row : lookAgain(conn, aggregateIds, aggregateTypes, lastSeq)) {
            if (lockedIds.contains(row.eventId())) {
                if (!blocked.contains(row.key())) {
                    free.add(row.eventId());
                    begun.add(row.key());
                }
            } else if (!owner.equals(row.lockedBy())) {
                blocked.add(row.key());
            }
        }
        List<OutboxEvent> events = new ArrayList<>();
        Map<Key, Integer> dropped = new HashMap<>();
        for (OutboxEvent event : locked) {
            Key key = Key.of(event.aggregateType(), event.aggregateId());
            if (event.aggregateId() == null || free.contains(event.eventId())) {
                events.add(event);
            } else if (!begun.contains(key)) {
                dropped.merge(key, 1, Integer::sum);
            }
        }
        return new Unblocked(events, dropped);
    }

    /** The undelivered rows of these aggregates, in the order of each one. */
    private List<InTheWay> lookAgain(
            Connection conn, Set<String> aggregateIds, Set<String> aggregateTypes, long lastSeq) throws SQLException {
        List<InList> typeLists =
                lookup.lookAgain.contains("{types}") ? InList.split(aggregateTypes, InList.LARGEST) : NO_TYPES;
        List<InTheWay> found = new ArrayList<>();
        for (InList ids : InList.split(aggregateIds, InList.LARGEST)) {
            for (InList types : typeLists) {
                found.addAll(lookAgain(conn, ids, types, lastSeq));
            }
        }
        return found;
    }

    private List<InTheWay> lookAgain(Connection conn, InList ids, InList types, long lastSeq) throws SQLException {
        return JdbcTemplate.query(
                conn,
                lookAgainSql.replace("{ids}", ids.placeholders()).replace("{types}", types.placeholders()),
                statement -> statement.setLong(types.bind(statement, ids.bind(statement, 1)), lastSeq),
                row -> new InTheWay(row.getString(1), Key.of(row.getString(2), row.getString(3)), row.getString(4)));
    }
}
