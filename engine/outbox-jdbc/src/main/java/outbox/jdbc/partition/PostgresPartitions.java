package outbox.jdbc.partition;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import outbox.jdbc.EventTable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.SqlDialect;
import outbox.jdbc.SqlDialects;
import outbox.jdbc.archive.EventArchive;
import outbox.jdbc.purge.AgePurger;
import outbox.jdbc.purge.ArchivingEventPurger;
import outbox.spi.ConnectionProvider;
import outbox.spi.EventPurger;
import outbox.spi.RetentionPurger;
import outbox.spi.UnitOfWork;

/**
 * Partitions on PostgreSQL: tables that are attached and detached. Both need a short table lock, and a waiting lock
 * request blocks all later ones; so lock waits are short and retried.
 *
 * <p>Rows outside of the daily partitions are in the default partition. Because of it, {@code DETACH … CONCURRENTLY} is
 * not possible, and a day with rows in the default partition can no longer be attached: those rows are purged row by
 * row.
 */
final class PostgresPartitions implements PartitionedTable {
    /** As in the schema file, because partitions do not inherit storage parameters. */
    static final String STORAGE = "fillfactor = 50, autovacuum_vacuum_threshold = 1000,"
            + " autovacuum_vacuum_scale_factor = 0.01, autovacuum_analyze_threshold = 1000,"
            + " autovacuum_analyze_scale_factor = 0.05";

    private static final String KIND = "SELECT relkind FROM pg_class WHERE oid = to_regclass(?)";
    private static final String PARTITIONS = """
            SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
            WHERE i.inhparent = to_regclass(?)
            """;
    private static final String SIBLINGS = """
            SELECT c.relname FROM pg_class c WHERE c.relkind = 'r'
              AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass(?))
            """;
    private static final String LOCK_TIMEOUT = "55P03";
    private static final String STATEMENT_TIMEOUT = "57014";
    private static final String ROWS_IN_DEFAULT = "23514";
    /** Errors for an existing table of that name or partition of that range, created manually. */
    private static final Set<String> IN_THE_WAY = Set.of("42P07", "42P17");

    private final String table;
    private final Duration lockTimeout;
    private final String dayPrefix;
    private final String detachedPrefix;

    PostgresPartitions(String table, Duration lockTimeout) {
        this.table = table;
        this.lockTimeout = lockTimeout;
        this.dayPrefix = OutboxSchema.indexName(table, "p");
        this.detachedPrefix = OutboxSchema.indexName(table, "detached_");
    }

    @Override
    public String tableName() {
        return table;
    }

    @Override
    public SqlDialect dialect() {
        return SqlDialects.POSTGRESQL;
    }

    @Override
    public NavigableSet<LocalDate> days(Connection conn) throws SQLException {
        List<String> kind =
                JdbcTemplate.query(conn, KIND, statement -> statement.setString(1, table), row -> row.getString(1));
        if (!kind.equals(List.of("p"))) {
            throw new IllegalStateException(
                    "table " + table + (kind.isEmpty() ? " does not exist" : " is not partitioned")
                            + ": create it by outbox/schema/postgresql-partitioned.sql of outbox-jdbc");
        }
        return named(conn, PARTITIONS, dayPrefix);
    }

    @Override
    public NavigableSet<LocalDate> detached(Connection conn) throws SQLException {
        return named(conn, SIBLINGS, detachedPrefix);
    }

    private NavigableSet<LocalDate> named(Connection conn, String sql, String prefix) throws SQLException {
        NavigableSet<LocalDate> days = new TreeSet<>();
        JdbcTemplate.query(conn, sql, statement -> statement.setString(1, table), row -> row.getString(1))
                .forEach(name -> Days.parse(prefix, name).ifPresent(days::add));
        return days;
    }

    @Override
    public Creation create(ConnectionProvider connections, LocalDate from, LocalDate through) throws SQLException {
        NavigableSet<LocalDate> existing = UnitOfWork.run(connections, this::days);
        List<LocalDate> created = new ArrayList<>();
        List<String> notDone = new ArrayList<>();
        for (LocalDate day = from; !day.isAfter(through); day = day.plusDays(1)) {
            if (!existing.contains(day)) {
                LocalDate missing = day;
                try {
                    UnitOfWork.run(connections, conn -> {
                        attach(conn, missing);
                        return missing;
                    });
                    created.add(day);
                } catch (SQLException e) {
                    if (ROWS_IN_DEFAULT.equals(e.getSQLState())) {
                        notDone.add(
                                rowsOf(day) + ": rows of that day are already in the default partition, because there"
                                        + " was no partition when they were written; they stay there and are purged row by row");
                    } else if (STATEMENT_TIMEOUT.equals(e.getSQLState())) {
                        notDone.add(rowsOf(day) + " and later ones could not be created within "
                                + attachTime().toMillis()
                                + " ms: to create one, the database reads the whole default partition while"
                                + " writes are blocked, and it contains too many rows; rows of those days are stored there too"
                                + " and purged row by row. To create it anyway, run at a quiet time: CREATE"
                                + " TABLE " + rowsOf(day) + " PARTITION OF " + table + " " + range(day) + " WITH ("
                                + STORAGE + ")");
                        return new Creation(created, notDone); // the next partition would only block others again
                    } else if (isBusy(e)) {
                        notDone.add(rowsOf(day) + " could not be created now: the table was in use for longer than "
                                + lockTimeout);
                    } else if (IN_THE_WAY.contains(e.getSQLState())) {
                        notDone.add(
                                rowsOf(day) + " could not be created: "
                                        + String.valueOf(e.getMessage()).strip()
                                        + "; rows of that day are stored in another matching partition. Attach, rename or drop the conflicting table");
                    } else {
                        throw e;
                    }
                }
            }
        }
        return new Creation(created, notDone);
    }

    /** Attaching needs weaker locks than creating a partition in place, and reuses the same indexes. */
    private void attach(Connection conn, LocalDate day) throws SQLException {
        execute(
                conn,
                "CREATE TABLE " + rowsOf(day) + " (LIKE " + table
                        + " INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES) WITH (" + STORAGE + ")");
        limitWaiting(conn);
        execute(conn, "SET LOCAL statement_timeout = " + attachTime().toMillis());
        execute(conn, "ALTER TABLE " + table + " ATTACH PARTITION " + rowsOf(day) + " " + range(day));
    }

    private static String range(LocalDate day) {
        return "FOR VALUES FROM ('" + Days.bound(day) + "') TO ('" + Days.bound(day.plusDays(1)) + "')";
    }

    /** Limit for waiting for the table and then blocking others. */
    private Duration attachTime() {
        return lockTimeout.multipliedBy(2);
    }

    private void limitWaiting(Connection conn) throws SQLException {
        execute(conn, "SET LOCAL lock_timeout = " + Math.max(1, lockTimeout.toMillis()));
    }

    private static void execute(Connection conn, String sql) throws SQLException {
        JdbcTemplate.update(conn, sql, JdbcTemplate.Binder.NOTHING);
    }

    @Override
    public String rowsOf(LocalDate day) {
        return OutboxSchema.sibling(table, Days.name("p", day));
    }

    @Override
    public String detachedName(LocalDate day) {
        return OutboxSchema.sibling(table, Days.name("detached_", day));
    }

    @Override
    public boolean detach(ConnectionProvider connections, LocalDate day, boolean evenPending) throws SQLException {
        try {
            return UnitOfWork.run(connections, conn -> {
                limitWaiting(conn);
                execute(conn, "ALTER TABLE " + table + " DETACH PARTITION " + rowsOf(day));
                if (!evenPending && holdsPending(conn, day)) { // the table is locked, so this check is final
                    throw new StillNeeded();
                }
                execute(conn, "ALTER TABLE " + rowsOf(day) + " RENAME TO " + Days.name(detachedPrefix, day));
                return true;
            });
        } catch (StillNeeded e) {
            return false;
        }
    }

    private boolean holdsPending(Connection conn, LocalDate day) throws SQLException {
        return !JdbcTemplate.query(
                        conn,
                        "SELECT 1 FROM " + rowsOf(day) + EventTable.fill(" WHERE status IN ({pending}) LIMIT 1"),
                        JdbcTemplate.Binder.NOTHING,
                        row -> row.getInt(1))
                .isEmpty();
    }

    /** Rolls the detach back. */
    private static final class StillNeeded extends SQLException {
        private static final long serialVersionUID = 1L;
    }

    private EventTable rest() {
        return new EventTable(OutboxSchema.sibling(table, "default"), dialect());
    }

    @Override
    public RetentionPurger purgerOfRest(EventArchive archive) {
        return new ArchivingEventPurger(rest(), archive);
    }

    @Override
    public EventPurger agePurgerOfRest(EventArchive archive) {
        return new AgePurger(rest(), archive);
    }

    @Override
    public boolean isBusy(SQLException e) {
        return LOCK_TIMEOUT.equals(e.getSQLState());
    }
}
