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
 * Deletes rows created before a time, whatever their status: for append-only tables delivered by CDC, where rows stay
 * NEW. Only a {@code writerOnly()} outbox accepts it. Thread-safe.
 *
 * <p>It only needs the primary key. Ids start with their creation time, so old ones sort first. Other ids are searched
 * at the start and at the end of the key, and compared by {@code created_at}. Rows are selected without locks and
 * deleted by key.
 */
public final class AgePurger implements EventPurger {
    /** Ids from here on have no plausible time: they are not ULIDs, or a clock was far ahead. */
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

    /** @param archive stores rows before they are deleted */
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
        // A retention that means "never" leads to times that ids and time columns cannot represent.
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
