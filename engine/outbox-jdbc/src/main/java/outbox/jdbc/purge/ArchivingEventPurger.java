package outbox.jdbc.purge;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import outbox.jdbc.EventTable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TableNames;
import outbox.jdbc.archive.EventArchive;
import outbox.spi.RetentionPurger;

/**
 * Archives terminal rows before it deletes them, a batch at a time. A row that is replayed meanwhile is kept: the
 * DELETE checks its status again. Rows are not locked while the archive is written. Thread-safe.
 */
public final class ArchivingEventPurger implements RetentionPurger {
    private static final String OLD = "SELECT event_id FROM {table} WHERE {rows} ORDER BY {order} LIMIT ?";

    private final EventTable table;
    private final RowArchive archive;
    private final String old;

    public ArchivingEventPurger(EventTable table, EventArchive archive) {
        this(table, "", archive);
    }

    /** @param partitions PARTITION clause after the table name; empty for the whole table */
    private ArchivingEventPurger(EventTable table, String partitions, EventArchive archive) {
        this.table = Objects.requireNonNull(table, "table");
        this.archive = new RowArchive(table.name(), archive);
        this.old = table.sql(OLD.replace("{table}", "{table}" + partitions));
    }

    /** Restricted to some partitions, for databases with a PARTITION clause. */
    public static ArchivingEventPurger ofPartitions(EventTable table, List<String> partitions, EventArchive archive) {
        partitions.forEach(TableNames::validate);
        return new ArchivingEventPurger(table, " PARTITION (" + String.join(", ", partitions) + ")", archive);
    }

    @Override
    public Optional<Instant> now(Connection conn) throws SQLException {
        return Optional.of(table.dialect().readClock(conn));
    }

    @Override
    public int purge(Connection conn, Cutoff cutoff, int limit) {
        if (limit <= 0) {
            throw new IllegalArgumentException("limit must be positive: " + limit);
        }
        try {
            Map<TerminalRows, List<String>> old = oldRows(conn, cutoff, limit);
            if (old.isEmpty()) {
                return 0;
            }
            archive.keep(conn, old.values().stream().flatMap(List::stream).toList());
            int deleted = 0;
            for (Map.Entry<TerminalRows, List<String>> part : old.entrySet()) {
                deleted += delete(conn, part.getKey(), part.getKey().before(cutoff), part.getValue());
            }
            return deleted;
        } catch (SQLException e) {
            throw new OutboxStoreException(
                    "purge of " + table + " before " + cutoff + " with " + archive + " failed: SQLState "
                            + e.getSQLState() + ", error " + e.getErrorCode() + " (see the cause)",
                    e);
        }
    }

    /** The kinds of rows are disjoint. */
    private Map<TerminalRows, List<String>> oldRows(Connection conn, Cutoff cutoff, int limit) throws SQLException {
        Map<TerminalRows, List<String>> ids = new EnumMap<>(TerminalRows.class);
        int left = limit;
        for (TerminalRows rows : TerminalRows.of(cutoff)) {
            List<String> found = left == 0 ? List.of() : oldRows(conn, rows, rows.before(cutoff), left);
            if (!found.isEmpty()) {
                ids.put(rows, found);
                left -= found.size();
            }
        }
        return ids;
    }

    private List<String> oldRows(Connection conn, TerminalRows rows, Instant before, int limit) throws SQLException {
        return JdbcTemplate.query(
                conn,
                rows.in(old),
                statement -> {
                    table.times().bind(statement, 1, before);
                    statement.setInt(2, limit);
                },
                row -> row.getString(1));
    }

    private int delete(Connection conn, TerminalRows rows, Instant before, List<String> ids) throws SQLException {
        return new KeyedDelete(table, rows.condition() + " AND")
                .delete(conn, ids, statement -> table.times().bind(statement, 1, before), 1);
    }

    public String tableName() {
        return table.name();
    }
}
