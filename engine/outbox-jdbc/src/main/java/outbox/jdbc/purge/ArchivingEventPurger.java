package outbox.jdbc.purge;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TableNames;
import outbox.jdbc.TimeColumns;
import outbox.jdbc.archive.EventArchive;
import outbox.spi.EventPurger;

/**
 * Archives terminal rows before it deletes them, a batch at a time. A row that somebody replays in between stays: the
 * deletion asks again whether it has ended. Rows are not locked while the archive is written. Thread-safe.
 */
public final class ArchivingEventPurger implements EventPurger {
    private static final String OLD = "SELECT event_id FROM %s WHERE %s ORDER BY %s LIMIT ?";
    private static final String STILL_OLD = "status IN (1, 3) AND COALESCE(done_at, created_at) < ? AND";

    private final String table;
    private final TimeColumns times;
    private final RowArchive archive;
    private final List<String> oldRows;
    private final KeyedDelete stillOld;

    public ArchivingEventPurger(String tableName, TimeColumns times, EventArchive archive) {
        this(tableName, times, archive, "");
    }

    /** @param byKey what follows the table's name so that rows are found, and locked, by their keys alone; may be empty */
    public ArchivingEventPurger(String tableName, TimeColumns times, EventArchive archive, String byKey) {
        this(TableNames.validate(tableName), "", times, archive, byKey);
    }

    /** @param partitions which part of the table to look at, as a clause behind its name; empty for all of it */
    private ArchivingEventPurger(
            String table, String partitions, TimeColumns times, EventArchive archive, String byKey) {
        this.table = table;
        this.times = Objects.requireNonNull(times, "times");
        this.archive = new RowArchive(table, archive);
        this.stillOld = new KeyedDelete(table, byKey, STILL_OLD);
        String from = table + partitions;
        this.oldRows = List.of(
                OLD.formatted(from, TerminalRows.DONE, "done_at"),
                OLD.formatted(from, TerminalRows.DEAD, "created_at"),
                OLD.formatted(from, TerminalRows.DONE_WITHOUT_TIME, "created_at"));
    }

    /**
     * Looks at some partitions only, where a table is asked for them by a clause.
     *
     * @param byKey what follows the table's name so that rows are found, and locked, by their keys alone; may be empty
     */
    public static ArchivingEventPurger ofPartitions(
            String tableName, List<String> partitions, TimeColumns times, EventArchive archive, String byKey) {
        partitions.forEach(TableNames::validate);
        String clause = " PARTITION (" + String.join(", ", partitions) + ")";
        return new ArchivingEventPurger(TableNames.validate(tableName), clause, times, archive, byKey);
    }

    @Override
    public int purge(Connection conn, Instant before, int limit) {
        if (limit <= 0) {
            throw new IllegalArgumentException("limit must be positive: " + limit);
        }
        try {
            List<String> ids = oldRows(conn, before, limit);
            if (ids.isEmpty()) {
                return 0;
            }
            archive.keep(conn, ids);
            return stillOld.delete(conn, ids, statement -> times.bind(statement, 1, before), 1);
        } catch (SQLException e) {
            throw new OutboxStoreException(
                    "purge of " + table + " before " + before + " with " + archive + " failed: SQLState "
                            + e.getSQLState() + ", error " + e.getErrorCode() + " (see the cause)",
                    e);
        }
    }

    private List<String> oldRows(Connection conn, Instant before, int limit) throws SQLException {
        Set<String> ids = new LinkedHashSet<>();
        for (String sql : oldRows) {
            if (ids.size() < limit) {
                int left = limit - ids.size();
                ids.addAll(JdbcTemplate.query(
                        conn,
                        sql,
                        statement -> {
                            times.bind(statement, 1, before);
                            statement.setInt(2, left);
                        },
                        row -> row.getString(1)));
            }
        }
        return List.copyOf(ids);
    }

    public String tableName() {
        return table;
    }
}
