package outbox.jdbc.store;

import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.EventTable;
import outbox.jdbc.JdbcTemplate;
import outbox.spi.Settlement;

/**
 * Writes outcomes on PostgreSQL: one statement per kind of outcome, and {@code RETURNING} reports which rows the owner
 * still leased.
 *
 * <p>The fence uses {@code status + 0} to keep the planner from using the index of pending rows, which it does whenever
 * it expects few of them.
 */
final class ArraySettlement implements SettlementStrategy {
    /**
     * PostgreSQL would wait indefinitely for a locked row. This limits the wait to two seconds until the transaction
     * ends, which is the statement itself in auto-commit mode; the condition is evaluated before the first row.
     */
    private static final String BRIEFLY = "(SELECT set_config('lock_timeout', '2000', true)) IS NOT NULL";

    private static final String BY_ID = """
            WHERE event_id = ANY (?) AND locked_by = ? AND status + 0 IN ({pending}) AND %s
            RETURNING event_id""".formatted(BRIEFLY);
    /**
     * Without statistics, or with a plan prepared for a nearly empty table, the planner would compare each row of the
     * table with each outcome. Applies until the transaction ends.
     */
    private static final String BY_KEY = """
            SET LOCAL enable_seqscan = off;
            SET LOCAL enable_hashjoin = off;
            SET LOCAL enable_mergejoin = off;
            """;

    private static final String BY_VALUES = """
            FROM unnest(?::text[], ?::int4[], ?::int8[], ?::text[]) AS s(id, attempts, delay, error)
            WHERE event_id = s.id AND locked_by = ? AND status + 0 IN ({pending}) AND %s
            RETURNING event_id""".formatted(BRIEFLY);

    /**
     * A concurrent settlement may have locked some of these rows. Waiting could deadlock, because both lock many rows,
     * and is pointless: the locked rows are about to be settled.
     */
    private static final String RENEW = """
            UPDATE {table} SET locked_at = {now}
            WHERE event_id = ANY (ARRAY(
              SELECT event_id FROM {table}
              WHERE event_id = ANY (?) AND locked_by = ? AND status + 0 IN ({pending})
              FOR UPDATE SKIP LOCKED))
            RETURNING event_id
            """;

    private static final String STILL_HELD = """
            SELECT event_id FROM {table} WHERE event_id = ANY (?) AND locked_by = ? AND status + 0 IN ({pending})
            """;

    private final Map<OutcomeKind, String> statements = new EnumMap<>(OutcomeKind.class);
    private final String renewSql;
    private final String stillHeldSql;
    private final LockedRows lockedRows;

    ArraySettlement(EventTable table) {
        for (OutcomeKind outcome : OutcomeKind.values()) {
            String where = outcome.hasValues() ? BY_VALUES : BY_ID;
            String sql = outcome.sql()
                    .replace("{attempts}", "s.attempts")
                    .replace("{due}", "{now} + s.delay * INTERVAL '1 microsecond'")
                    .replace("{error}", "s.error");
            statements.put(outcome, table.sql((outcome.hasValues() ? BY_KEY : "") + sql + "\n" + where));
        }
        this.renewSql = table.sql(RENEW);
        this.stillHeldSql = table.sql(STILL_HELD);
        this.lockedRows = new LockedRows(table);
    }

    @Override
    public Set<String> locked(Connection conn, Collection<String> eventIds) throws SQLException {
        return lockedRows.find(conn, eventIds);
    }

    @Override
    public Set<String> settle(Connection conn, String owner, List<Settlement> settlements) throws SQLException {
        Map<OutcomeKind, Map<String, OutcomeKind.Values>> byOutcome = OutcomeKind.group(settlements);
        if (byOutcome.size() == 1) {
            Map.Entry<OutcomeKind, Map<String, OutcomeKind.Values>> only =
                    byOutcome.entrySet().iterator().next();
            return only.getKey().hasValues()
                    ? OwnTransaction.runRetrying(conn, () -> write(conn, owner, only.getKey(), only.getValue()))
                    : OwnTransaction.singleRetrying(conn, () -> write(conn, owner, only.getKey(), only.getValue()));
        }
        return OwnTransaction.runRetrying(conn, () -> {
            Set<String> lost = new LinkedHashSet<>();
            for (Map.Entry<OutcomeKind, Map<String, OutcomeKind.Values>> group : byOutcome.entrySet()) {
                lost.addAll(write(conn, owner, group.getKey(), group.getValue()));
            }
            return lost;
        });
    }

    private Set<String> write(Connection conn, String owner, OutcomeKind outcome, Map<String, OutcomeKind.Values> byId)
            throws SQLException {
        String sql = statements.getOrDefault(outcome, "");
        List<String> written = JdbcTemplate.updateReturning(
                conn,
                sql,
                statement -> {
                    int index = 1;
                    statement.setArray(
                            index++, conn.createArrayOf("text", byId.keySet().toArray()));
                    if (outcome.hasValues()) {
                        statement.setArray(index++, column(conn, "int4", byId, OutcomeKind.Values::attempts));
                        statement.setArray(index++, column(conn, "int8", byId, OutcomeKind.Values::delayMicros));
                        statement.setArray(index++, column(conn, "text", byId, OutcomeKind.Values::error));
                    }
                    statement.setString(index, owner);
                },
                row -> row.getString(1));
        return missing(byId.keySet(), written);
    }

    private static Array column(
            Connection conn,
            String type,
            Map<String, OutcomeKind.Values> byId,
            Function<OutcomeKind.Values, @Nullable Object> value)
            throws SQLException {
        return conn.createArrayOf(type, byId.values().stream().map(value).toArray());
    }

    @Override
    public Set<String> renew(Connection conn, String owner, Collection<String> eventIds) throws SQLException {
        Set<String> ids = new LinkedHashSet<>(eventIds);
        Set<String> notRenewed =
                missing(ids, OwnTransaction.singleRetrying(conn, () -> byOwner(conn, renewSql, owner, ids)));
        return notRenewed.isEmpty() ? notRenewed : missing(notRenewed, byOwner(conn, stillHeldSql, owner, notRenewed));
    }

    private static List<String> byOwner(Connection conn, String sql, String owner, Set<String> ids)
            throws SQLException {
        return JdbcTemplate.query(
                conn,
                sql,
                statement -> {
                    statement.setArray(1, conn.createArrayOf("text", ids.toArray()));
                    statement.setString(2, owner);
                },
                row -> row.getString(1));
    }

    private static Set<String> missing(Set<String> ids, List<String> found) {
        if (found.size() == ids.size()) {
            return Set.of();
        }
        Set<String> missing = new LinkedHashSet<>(ids);
        missing.removeAll(new HashSet<>(found));
        return missing;
    }
}
