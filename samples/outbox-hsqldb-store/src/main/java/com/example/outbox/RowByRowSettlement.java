package com.example.outbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import outbox.jdbc.EventTable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.SqlDialect;
import outbox.jdbc.store.SettlementStrategy;
import outbox.spi.Settlement;
import outbox.spi.UnitOfWork;
import outbox.util.StoredError;

/**
 * Writes outcomes one by one: the count of changed rows tells whether the owner still leases the row. The simplest
 * settlement there is, for a database in the same process. Immutable and thread-safe.
 */
final class RowByRowSettlement implements SettlementStrategy {
    private static final String FENCE = " WHERE event_id = ? AND locked_by = ? AND status IN ({pending})";
    private static final String NO_LEASE = ", locked_by = NULL, locked_at = NULL";

    private final String doneSql;
    private final String deleteSql;
    private final String retrySql;
    private final String deadSql;
    private final String releaseSql;
    private final String releaseUntilSql;
    private final String renewSql;

    RowByRowSettlement(EventTable table) {
        this.doneSql = table.sql("UPDATE {table} SET status = {done}, done_at = {now}" + NO_LEASE + FENCE);
        this.deleteSql = table.sql("DELETE FROM {table}" + FENCE);
        this.retrySql = table.sql("UPDATE {table} SET status = {retry}, attempts = ?, available_at = {now+?},"
                + " last_error = ?" + NO_LEASE + FENCE);
        this.deadSql = table.sql(
                "UPDATE {table} SET status = {dead}, attempts = ?, done_at = {now}, last_error = ?" + NO_LEASE + FENCE);
        this.releaseSql = table.sql("UPDATE {table} SET attempts = ?" + NO_LEASE + FENCE);
        // locked_at without an owner tells a released row from a scheduled one
        this.releaseUntilSql = table.sql(
                "UPDATE {table} SET attempts = ?, available_at = {now+?}, locked_by = NULL, locked_at = {now}" + FENCE);
        this.renewSql = table.sql("UPDATE {table} SET locked_at = {now}" + FENCE);
    }

    /** One statement with its values, but those of the fence. */
    private record Change(String eventId, String sql, List<Object> values) {}

    @Override
    public Set<String> settle(Connection conn, String owner, List<Settlement> settlements) throws SQLException {
        return write(conn, owner, settlements.stream().map(this::change).toList());
    }

    @Override
    public Set<String> renew(Connection conn, String owner, Collection<String> eventIds) throws SQLException {
        return write(
                conn,
                owner,
                eventIds.stream().map(id -> new Change(id, renewSql, List.of())).toList());
    }

    private Change change(Settlement settlement) {
        String id = settlement.eventId();
        return settlement.match(
                done -> new Change(id, doneSql, List.of()),
                delete -> new Change(id, deleteSql, List.of()),
                retry -> new Change(
                        id,
                        retrySql,
                        List.of(
                                retry.attempts(),
                                SqlDialect.micros(retry.delay()),
                                String.valueOf(StoredError.clean(retry.error())))),
                dead -> new Change(
                        id, deadSql, List.of(dead.attempts(), String.valueOf(StoredError.clean(dead.error())))),
                release -> release.delay().isZero()
                        ? new Change(id, releaseSql, List.of(release.attempts()))
                        : new Change(
                                id, releaseUntilSql, List.of(release.attempts(), SqlDialect.micros(release.delay()))));
    }

    private static Set<String> write(Connection conn, String owner, List<Change> changes) throws SQLException {
        return conn.getAutoCommit()
                ? UnitOfWork.run(conn, own -> writeAll(own, owner, changes))
                : writeAll(conn, owner, changes);
    }

    private static Set<String> writeAll(Connection conn, String owner, List<Change> changes) throws SQLException {
        Set<String> lost = new LinkedHashSet<>();
        for (Change change : changes) {
            int written = JdbcTemplate.update(conn, change.sql(), statement -> {
                int index = 1;
                for (Object value : change.values()) {
                    statement.setObject(index++, value);
                }
                statement.setString(index++, change.eventId());
                statement.setString(index, owner);
            });
            if (written == 0) {
                lost.add(change.eventId());
            }
        }
        return lost;
    }
}
