package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import outbox.jdbc.EventTable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.SqlDialect;
import outbox.spi.Settlement;

/**
 * Writes outcomes by {@code UPDATE … WHERE event_id IN (…)}, for databases whose UPDATE does not return rows.
 *
 * <p>The update count shows whether the owner still leased all rows, which is nearly always the case. If it is lower,
 * the changes are rolled back, the rows still leased are locked with a query, and only these are written: this
 * determines exactly which leases were lost.
 *
 * <p>Rows must be found by key. An optimizer that scans the whole primary key instead, as MariaDB does for a long list
 * on a small table, locks the rows of other nodes, and a node that pauses before its commit would block them all: hence
 * {@link SqlDialect.Builder#byKey}. The fence uses {@code status + 0} to avoid the index on {@code status}, which would
 * lock in another order. Thread-safe.
 */
public final class KeyedSettlement implements SettlementStrategy {
    /** A statement with values per row compares each row with half of its list, so these lists are short. */
    private static final int MOST_WITH_VALUES = 64;

    private static final String FENCE = " WHERE event_id IN ({ids}) AND locked_by = ? AND status + 0 IN ({pending})";
    private static final String HELD = "SELECT event_id FROM {table by key}" + FENCE;

    private final String later;
    private final String heldSql;
    private final Map<OutcomeKind, String> updates = new EnumMap<>(OutcomeKind.class);
    private final LockedRows lockedRows;

    public KeyedSettlement(EventTable table) {
        this.later = table.dialect().later();
        this.heldSql = table.sql(HELD);
        for (OutcomeKind outcome : OutcomeKind.values()) {
            updates.put(outcome, table.sql(outcome.sql() + FENCE));
        }
        this.lockedRows = new LockedRows(table);
    }

    @Override
    public Set<String> settle(Connection conn, String owner, List<Settlement> settlements) throws SQLException {
        Map<OutcomeKind, Map<String, OutcomeKind.Values>> byOutcome = OutcomeKind.group(settlements);
        List<Batch> batches = new ArrayList<>();
        byOutcome.forEach((outcome, byId) -> {
            int most = outcome.hasValues() ? MOST_WITH_VALUES : InList.LARGEST;
            InList.split(byId.keySet(), most).forEach(ids -> batches.add(new Batch(outcome, ids, byId)));
        });
        return write(conn, owner, batches);
    }

    /**
     * {@inheritDoc} A concurrent settlement may have locked some of these rows. Waiting could deadlock, because both
     * lock many rows, and is pointless: the locked rows are about to be settled.
     */
    @Override
    public Set<String> renew(Connection conn, String owner, Collection<String> eventIds) throws SQLException {
        return renew(conn, owner, eventIds, true);
    }

    /** @param skipLocked {@code false} for a database that can only wait */
    Set<String> renew(Connection conn, String owner, Collection<String> eventIds, boolean skipLocked)
            throws SQLException {
        return OwnTransaction.runRetrying(conn, () -> {
            Set<String> lost = new LinkedHashSet<>();
            for (InList ids : InList.split(eventIds, InList.LARGEST)) {
                Set<String> missing = new LinkedHashSet<>(ids.ids());
                List<String> free = held(conn, owner, ids, skipLocked ? " FOR UPDATE SKIP LOCKED" : " FOR UPDATE");
                if (!free.isEmpty()) {
                    update(conn, owner, new Batch(OutcomeKind.RENEW, InList.of(free), Map.of()));
                    missing.removeAll(new HashSet<>(free));
                }
                if (!missing.isEmpty()) {
                    missing.removeAll(new HashSet<>(held(conn, owner, InList.of(missing), "")));
                }
                lost.addAll(missing);
            }
            return lost;
        });
    }

    @Override
    public Set<String> locked(Connection conn, Collection<String> eventIds) throws SQLException {
        return lockedRows.find(conn, eventIds);
    }

    /** Rows with the same outcome for one statement. */
    private record Batch(OutcomeKind outcome, InList ids, Map<String, OutcomeKind.Values> values) {
        OutcomeKind.Values values(int position) {
            return Objects.requireNonNull(values.get(ids.id(position)));
        }
    }

    private Set<String> write(Connection conn, String owner, List<Batch> batches) throws SQLException {
        return OwnTransaction.optimistic(
                conn,
                () -> {
                    for (Batch batch : batches) {
                        if (update(conn, owner, batch) != batch.ids().ids().size()) {
                            return Optional.empty();
                        }
                    }
                    return Optional.of(Set.of());
                },
                () -> writeHeld(conn, owner, batches));
    }

    private Set<String> writeHeld(Connection conn, String owner, List<Batch> batches) throws SQLException {
        Set<String> lost = new LinkedHashSet<>();
        for (Batch batch : batches) {
            Set<String> held = new HashSet<>(held(conn, owner, batch.ids(), " FOR UPDATE"));
            if (!held.isEmpty()) {
                update(conn, owner, new Batch(batch.outcome(), InList.of(held), batch.values()));
            }
            batch.ids().ids().stream().filter(id -> !held.contains(id)).forEach(lost::add);
        }
        return lost;
    }

    private List<String> held(Connection conn, String owner, InList ids, String lock) throws SQLException {
        String sql = heldSql.replace("{ids}", ids.placeholders()) + lock;
        return JdbcTemplate.query(
                conn, sql, statement -> statement.setString(ids.bind(statement, 1), owner), row -> row.getString(1));
    }

    private int update(Connection conn, String owner, Batch batch) throws SQLException {
        InList ids = batch.ids();
        String perRow = "CASE event_id" + " WHEN ? THEN ?".repeat(ids.size()) + " END";
        String sql = updates.getOrDefault(batch.outcome(), "")
                .replace("{ids}", ids.placeholders())
                .replace("{attempts}", perRow)
                .replace("{due}", later.replace("?", perRow))
                .replace("{error}", perRow);
        return JdbcTemplate.update(conn, sql, statement -> {
            int index = bindValues(statement, batch);
            statement.setString(ids.bind(statement, index), owner);
        });
    }

    private static int bindValues(PreparedStatement statement, Batch batch) throws SQLException {
        int index = 1;
        for (int i = 0; batch.outcome().hasAttempts() && i < batch.ids().size(); i++) {
            statement.setString(index++, batch.ids().id(i));
            statement.setInt(index++, batch.values(i).attempts());
        }
        for (int i = 0; batch.outcome().hasDue() && i < batch.ids().size(); i++) {
            statement.setString(index++, batch.ids().id(i));
            statement.setLong(index++, batch.values(i).delayMicros());
        }
        for (int i = 0; batch.outcome().hasError() && i < batch.ids().size(); i++) {
            statement.setString(index++, batch.ids().id(i));
            statement.setString(index++, batch.values(i).error());
        }
        return index;
    }
}
