package outbox.jdbc.partition;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
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
 * Partitions on MySQL and MariaDB. New partitions are split off the last one, which is empty unless the application
 * generates its own ids or a clock was wrong. A partition is exchanged with an empty table and then dropped empty, both
 * under a short table lock. A waiting lock request blocks all later ones, so lock waits are short.
 */
final class InnoDbPartitions implements PartitionedTable {
    private static final String BEFORE = "p_before";
    private static final String AFTER = "p_after";
    private static final int LOCK_WAIT_TIMEOUT = 1205;
    /** Maximum rows to copy, because the table cannot be written meanwhile. */
    static final int MOVED_AT_MOST = 10_000;

    private static final String PARTITIONS = """
            SELECT partition_name FROM information_schema.partitions
            WHERE table_schema = COALESCE(?, DATABASE()) AND table_name = ? AND partition_name IS NOT NULL
            """;
    private static final String TABLES = """
            SELECT table_name FROM information_schema.tables WHERE table_schema = COALESCE(?, DATABASE())
              AND table_name LIKE CONCAT(REPLACE(?, '_', '\\_'), '%')
            """;

    private final String table;
    private final Duration lockTimeout;
    private final String detachedPrefix;

    InnoDbPartitions(String table, Duration lockTimeout) {
        this.table = table;
        this.lockTimeout = lockTimeout;
        this.detachedPrefix = OutboxSchema.indexName(table, "detached_");
    }

    @Override
    public String tableName() {
        return table;
    }

    @Override
    public SqlDialect dialect() {
        return SqlDialects.MYSQL;
    }

    @Override
    public NavigableSet<LocalDate> days(Connection conn) throws SQLException {
        List<String> names = names(conn, PARTITIONS, table.substring(table.indexOf('.') + 1));
        if (!names.contains(BEFORE) || !names.contains(AFTER)) {
            throw new IllegalStateException("table " + table + " has no partitions " + BEFORE + " and " + AFTER
                    + ": create it by the -partitioned.sql of its database in outbox/schema of outbox-jdbc");
        }
        return parse("p", names);
    }

    @Override
    public NavigableSet<LocalDate> detached(Connection conn) throws SQLException {
        return parse(detachedPrefix, names(conn, TABLES, detachedPrefix));
    }

    private List<String> names(Connection conn, String sql, String name) throws SQLException {
        int dot = table.indexOf('.');
        @Nullable String schema = dot < 0 ? null : table.substring(0, dot);
        return JdbcTemplate.query(
                conn,
                sql,
                statement -> {
                    statement.setString(1, schema);
                    statement.setString(2, name);
                },
                row -> row.getString(1));
    }

    private static NavigableSet<LocalDate> parse(String prefix, List<String> names) {
        NavigableSet<LocalDate> days = new TreeSet<>();
        names.forEach(name -> Days.parse(prefix, name).ifPresent(days::add));
        return days;
    }

    @Override
    public Creation create(ConnectionProvider connections, LocalDate from, LocalDate through) throws SQLException {
        NavigableSet<LocalDate> existing = UnitOfWork.run(connections, this::days);
        List<LocalDate> created = new ArrayList<>();
        List<String> notDone = new ArrayList<>();
        Map<Optional<LocalDate>, List<LocalDate>> missing = from.datesUntil(through.plusDays(1))
                .filter(day -> !existing.contains(day))
                .collect(Collectors.groupingBy(
                        day -> Optional.ofNullable(existing.higher(day)), LinkedHashMap::new, Collectors.toList()));
        for (Map.Entry<Optional<LocalDate>, List<LocalDate>> days : missing.entrySet()) {
            String whole = days.getKey().map(day -> Days.name("p", day)).orElse(AFTER);
            String sql = cutOff(whole, days.getKey(), days.getValue());
            if (UnitOfWork.run(connections, conn -> holdsTooMany(conn, whole))) {
                notDone.add("partitions from " + days.getValue().get(0) + " on were not created: " + whole
                        + " contains more"
                        + " than " + MOVED_AT_MOST + " rows, which would be copied while writes to the"
                        + " table are blocked; rows of those days are stored there too and purged row by row. To create them"
                        + " anyway, run at a quiet time: " + sql);
                continue;
            }
            try {
                impatiently(connections, statement -> statement.execute(sql));
                created.addAll(days.getValue());
            } catch (SQLException e) {
                if (!isBusy(e)) {
                    throw e;
                }
                notDone.add("partitions from " + days.getValue().get(0)
                        + " on could not be created now: the table was in" + " use for longer than " + lockTimeout);
            }
        }
        return new Creation(created, notDone);
    }

    private boolean holdsTooMany(Connection conn, String partition) throws SQLException {
        return !JdbcTemplate.query(
                        conn,
                        "SELECT event_id FROM " + table + " PARTITION (" + partition
                                + ") ORDER BY event_id LIMIT 1 OFFSET " + MOVED_AT_MOST,
                        JdbcTemplate.Binder.NOTHING,
                        row -> row.getString(1))
                .isEmpty();
    }

    /**
     * A partition starts where the previous one ends: a missing day is part of the next partition and is split off it.
     */
    private String cutOff(String whole, Optional<LocalDate> next, List<LocalDate> days) {
        String bound = next.map(InnoDbPartitions::end).orElse("MAXVALUE");
        return "ALTER TABLE " + table + " REORGANIZE PARTITION " + whole + " INTO ("
                + days.stream()
                        .map(day -> "PARTITION " + Days.name("p", day) + " VALUES LESS THAN (" + end(day) + "), ")
                        .collect(Collectors.joining())
                + "PARTITION " + whole + " VALUES LESS THAN (" + bound + "))";
    }

    private static String end(LocalDate day) {
        return "'" + Days.bound(day.plusDays(1)) + "'";
    }

    @Override
    public String rowsOf(LocalDate day) {
        return table + " PARTITION (" + Days.name("p", day) + ")";
    }

    @Override
    public String detachedName(LocalDate day) {
        return OutboxSchema.sibling(table, Days.name("detached_", day));
    }

    @Override
    public boolean detach(ConnectionProvider connections, LocalDate day, boolean evenPending) throws SQLException {
        String empty = detachedName(day);
        return impatiently(connections, statement -> {
            statement.execute("CREATE TABLE " + empty + " LIKE " + table);
            boolean detached = false;
            try {
                statement.execute("ALTER TABLE " + empty + " REMOVE PARTITIONING");
                statement.execute("LOCK TABLES " + table + " WRITE, " + empty + " WRITE");
                // Writes are blocked, so this check is final.
                if (evenPending || !isAny(statement, rowsOf(day) + EventTable.fill(" WHERE status IN ({pending})"))) {
                    statement.execute("ALTER TABLE " + table + " EXCHANGE PARTITION " + Days.name("p", day)
                            + " WITH TABLE " + empty);
                    detached = true;
                    statement.execute("ALTER TABLE " + table + " DROP PARTITION " + Days.name("p", day));
                }
            } finally {
                statement.execute("UNLOCK TABLES");
                if (!detached) {
                    statement.execute("DROP TABLE " + empty);
                }
            }
            return detached;
        });
    }

    private static boolean isAny(Statement statement, String rows) throws SQLException {
        try (var row = statement.executeQuery("SELECT 1 FROM " + rows + " LIMIT 1")) {
            return row.next();
        }
    }

    /** Statements that commit implicitly. */
    private interface Definition<T> {
        T run(Statement statement) throws SQLException;
    }

    /** Limits lock waits; the server counts in seconds. */
    private <T> T impatiently(ConnectionProvider connections, Definition<T> work) throws SQLException {
        return UnitOfWork.single(connections, conn -> {
            try (Statement statement = conn.createStatement()) {
                long patience = JdbcTemplate.query(
                                conn, "SELECT @@lock_wait_timeout", JdbcTemplate.Binder.NOTHING, row -> row.getLong(1))
                        .get(0);
                statement.execute("SET SESSION lock_wait_timeout = " + Math.max(1, lockTimeout.toSeconds()));
                try {
                    return work.run(statement);
                } finally {
                    statement.execute("SET SESSION lock_wait_timeout = " + patience);
                }
            }
        });
    }

    /** Only for this transaction. The gap locks of REPEATABLE READ would block settlements and writers. */
    @Override
    public void prepareDeletion(Connection conn) throws SQLException {
        JdbcTemplate.update(conn, "SET TRANSACTION ISOLATION LEVEL READ COMMITTED", JdbcTemplate.Binder.NOTHING);
    }

    @Override
    public RetentionPurger purgerOfRest(EventArchive archive) {
        return ArchivingEventPurger.ofPartitions(new EventTable(table, dialect()), List.of(BEFORE, AFTER), archive);
    }

    /** Runs after old partitions were dropped, so it finds rows outside of them, or in one that was in use. */
    @Override
    public EventPurger agePurgerOfRest(EventArchive archive) {
        return new AgePurger(new EventTable(table, dialect()), archive);
    }

    @Override
    public boolean isBusy(SQLException e) {
        return e.getErrorCode() == LOCK_WAIT_TIMEOUT;
    }
}
