package outbox.jdbc.purge;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import outbox.jdbc.EventTable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.archive.EventArchive;
import outbox.spi.EventPurger;
import outbox.util.Ulid;

/**
 * Deletes rows that were created before a time, whatever their state: for append-only tables that are read by CDC, where
 * nobody marks a row. Only a {@code writerOnly()} outbox accepts it. Thread-safe.
 *
 * <p>It needs no index but the primary key. Ids begin with the time they were made at, so the old ones are at the front of
 * the key. Ids that were made in another way are looked for in front of it as well and at the end, and go by their
 * {@code created_at} too. Rows are chosen without a lock and deleted by key.
 */
public final class AgePurger implements EventPurger {
    /** Ids from here on are of no time that could be meant: made in another way, or by a clock far ahead. */
    private static final Duration FAR_AHEAD = Duration.ofDays(366);

    private static final String FRONT = """
            SELECT event_id FROM {table} WHERE event_id < ? AND created_at < ? ORDER BY event_id LIMIT ?
            """;
    private static final String END = """
            SELECT event_id FROM {table} WHERE event_id > ? AND created_at < ? ORDER BY event_id LIMIT ?
            """;

    private final EventTable table;
    private final String frontSql;
    private final String endSql;
    private final RowArchive archive;
    private final KeyedDelete delete;

    public AgePurger(EventTable table) {
        this(table, EventArchive.NONE);
    }

    /** @param archive where rows go before they are deleted */
    public AgePurger(EventTable table, EventArchive archive) {
        this.table = Objects.requireNonNull(table, "table");
        this.frontSql = table.sql(FRONT);
        this.endSql = table.sql(END);
        this.archive = new RowArchive(table.name(), archive);
        this.delete = new KeyedDelete(table, "");
    }

    @Override
    public boolean purgesUndelivered() {
        return true;
    }

    @Override
    public Optional<Instant> now(Connection conn) throws SQLException {
        return Optional.of(table.dialect().readClock(conn));
    }

    @Override
    public int purge(Connection conn, Instant before, int limit) {
        if (limit <= 0) {
            throw new IllegalArgumentException("limit must be positive: " + limit);
        }
        // A retention that means "never" reaches back to times that ids, and time columns, do not have.
        Instant from = before.isBefore(Instant.EPOCH) ? Instant.EPOCH : before;
        try {
            Set<String> ids = new LinkedHashSet<>(old(conn, frontSql, Ulid.timePrefix(from), from, limit));
            if (ids.size() < limit) {
                String far = Ulid.timePrefix(from.plus(FAR_AHEAD));
                ids.addAll(old(conn, endSql, far, from, limit - ids.size()));
            }
            if (ids.isEmpty()) {
                return 0;
            }
            archive.keep(conn, List.copyOf(ids));
            return delete.delete(conn, List.copyOf(ids), JdbcTemplate.Binder.NOTHING, 0);
        } catch (SQLException e) {
            throw new OutboxStoreException(
                    "purge of " + table + " by age before " + before + " failed: SQLState " + e.getSQLState()
                            + ", error " + e.getErrorCode() + " (see the cause)",
                    e);
        }
    }

    private List<String> old(Connection conn, String sql, String bound, Instant before, int limit) throws SQLException {
        return JdbcTemplate.query(
                conn,
                sql,
                statement -> {
                    statement.setString(1, bound);
                    table.times().bind(statement, 2, before);
                    statement.setInt(3, limit);
                },
                row -> row.getString(1));
    }

    @Override
    public String toString() {
        return "purge of " + table + " by age";
    }
}
