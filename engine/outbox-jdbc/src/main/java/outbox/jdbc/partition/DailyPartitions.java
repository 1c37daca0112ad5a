package outbox.jdbc.partition;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import outbox.jdbc.EventTable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableNames;
import outbox.jdbc.archive.EventArchive;
import outbox.spi.ConnectionProvider;
import outbox.spi.Election;
import outbox.spi.RetentionPurger.Cutoff;
import outbox.spi.TableRotation;
import outbox.spi.UnitOfWork;

/**
 * Maintains an outbox table with one partition per day, by the time at the start of every event id. Partitions are
 * created in advance. A partition whose rows have all ended before the retention is detached, archived if configured,
 * and dropped, at a cost independent of its number of rows. A partition with pending events is kept and reported.
 * Immutable and thread-safe.
 *
 * <pre>{@code
 * PostgresOutboxStore store = new PostgresOutboxStore();
 * Outbox outbox = JdbcOutbox.multiNode(dataSource, store)
 *     .partitions(store.dailyPartitions().archive(EventArchive.inFiles(directory)))
 *     .retention(Duration.ofDays(7))
 *     …
 * }</pre>
 *
 * <p>A round can be interrupted at any point: the next one continues with detached partitions. An {@link Election}
 * chooses the node that makes a round; the others do nothing. A round needs two connections.
 */
public final class DailyPartitions implements TableRotation {
    /** Default number of days for which partitions are created in advance. */
    public static final int DEFAULT_DAYS_AHEAD = 3;
    /** How long to wait for a lock on the table, and to block others. */
    public static final Duration DEFAULT_LOCK_TIMEOUT = Duration.ofMillis(500);

    private static final Logger LOG = System.getLogger(DailyPartitions.class.getName());
    private static final String DUTY = "partitions";
    private static final int ATTEMPTS = 3;
    private static final int ARCHIVE_PAGE = 500;
    private static final int PURGE_BATCH = 500;
    private static final int COUNTED = 1000;

    private final PartitionedTable table;
    private final Election election;
    private final int daysAhead;
    private final EventArchive archive;
    private final boolean byAgeAlone;

    private DailyPartitions(
            PartitionedTable table, Election election, int daysAhead, EventArchive archive, boolean byAgeAlone) {
        this.table = table;
        this.election = Objects.requireNonNull(election, "election");
        this.daysAhead = daysAhead;
        this.archive = archive;
        this.byAgeAlone = byAgeAlone;
    }

    /**
     * For a table of {@code postgresql-partitioned.sql}.
     *
     * @param election who makes a round
     */
    public static DailyPartitions onPostgres(String tableName, Election election) {
        return of(new PostgresPartitions(TableNames.validate(tableName), DEFAULT_LOCK_TIMEOUT), election);
    }

    /**
     * For a table of {@code mysql-partitioned.sql} or {@code mariadb-partitioned.sql}.
     *
     * @param election who makes a round
     */
    public static DailyPartitions onInnoDb(String tableName, Election election) {
        return of(new InnoDbPartitions(TableNames.validate(tableName), DEFAULT_LOCK_TIMEOUT), election);
    }

    private static DailyPartitions of(PartitionedTable table, Election election) {
        return new DailyPartitions(table, election, DEFAULT_DAYS_AHEAD, EventArchive.NONE, false);
    }

    /** Number of days for which partitions are created in advance; default {@value #DEFAULT_DAYS_AHEAD}. */
    public DailyPartitions daysAhead(int daysAhead) {
        if (daysAhead < 1 || daysAhead > 366) {
            throw new IllegalArgumentException("daysAhead must be 1 to 366: " + daysAhead);
        }
        return new DailyPartitions(table, election, daysAhead, archive, byAgeAlone);
    }

    /** Archives rows before they are dropped; default: no archive. */
    public DailyPartitions archive(EventArchive archive) {
        return new DailyPartitions(table, election, daysAhead, Objects.requireNonNull(archive, "archive"), byAgeAlone);
    }

    /**
     * Drops partitions that ended before the retention, whatever the status of their rows. For append-only tables
     * delivered by CDC, where rows stay NEW; a delivering outbox rejects it.
     */
    public DailyPartitions byAgeAlone() {
        return new DailyPartitions(table, election, daysAhead, archive, true);
    }

    @Override
    public boolean takesUndelivered() {
        return byAgeAlone;
    }

    @Override
    public Optional<Instant> now(Connection conn) throws SQLException {
        return Optional.of(table.dialect().readClock(conn));
    }

    /** As {@link #rotate(ConnectionProvider, Instant, Duration, Duration)}, with one retention for all rows. */
    public Report rotate(ConnectionProvider connections, Instant now, Duration retention) throws SQLException {
        return rotate(connections, now, retention, retention);
    }

    @Override
    public Report rotate(ConnectionProvider connections, Instant now, Duration retention, Duration deadRetention)
            throws SQLException {
        if (retention.isNegative() || deadRetention.isNegative()) {
            throw new IllegalArgumentException("retention must not be negative: " + retention + ", " + deadRetention);
        }
        Cutoff cutoff = new Cutoff(now.minus(retention), now.minus(deadRetention), false);
        return election.run(connections, DUTY, conn -> round(connections, now, cutoff))
                .orElseGet(() -> {
                    LOG.log(Level.DEBUG, "another node maintains the " + this);
                    return new Report(List.of(), List.of(), 0, List.of());
                });
    }

    private Report round(ConnectionProvider connections, Instant now, Cutoff cutoff) throws SQLException {
        Round round = new Round(connections, cutoff);
        round.create(Days.of(now));
        round.finishDetached();
        round.retire();
        round.purgeRest();
        return new Report(round.created, round.dropped, round.purged, round.kept);
    }

    /** One round and its results so far. */
    private final class Round {
        private final ConnectionProvider connections;
        private final Cutoff cutoff;
        private final List<String> created = new ArrayList<>();
        private final List<String> dropped = new ArrayList<>();
        private final List<String> kept = new ArrayList<>();
        private int purged;

        Round(ConnectionProvider connections, Cutoff cutoff) {
            this.connections = connections;
            this.cutoff = cutoff;
        }

        void create(LocalDate today) throws SQLException {
            PartitionedTable.Creation creation = table.create(connections, today, today.plusDays(daysAhead));
            creation.created().forEach(day -> created.add(day.toString()));
            kept.addAll(creation.notDone());
        }

        /** Archives and drops partitions that an earlier round only detached. */
        void finishDetached() throws SQLException {
            for (LocalDate day : UnitOfWork.run(connections, table::detached)) {
                archiveAndDrop(day);
            }
        }

        void retire() throws SQLException {
            for (LocalDate day : UnitOfWork.run(connections, table::days)) {
                if (!Days.start(day.plusDays(1)).isAfter(cutoff.doneBefore()) && !retire(day)) {
                    return; // the table is in use: further partitions would only block others
                }
            }
        }

        /** @return {@code false} if the table is in use */
        private boolean retire(LocalDate day) throws SQLException {
            String needed = byAgeAlone ? "" : UnitOfWork.run(connections, conn -> whyNeeded(conn, day));
            if (!needed.isEmpty()) {
                kept.add(day + ": " + needed);
                return true;
            }
            for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
                try {
                    if (table.detach(connections, day, byAgeAlone)) {
                        archiveAndDrop(day);
                    } else {
                        kept.add(day + ": an event became pending again meanwhile");
                    }
                    return true;
                } catch (SQLException e) {
                    if (!table.isBusy(e)) {
                        throw e;
                    }
                }
            }
            kept.add(day + ": the table was in use at " + ATTEMPTS + " attempts; check for long-running transactions");
            return false;
        }

        private String whyNeeded(Connection conn, LocalDate day) throws SQLException {
            String rows = " FROM " + table.rowsOf(day) + " WHERE ";
            int pending = JdbcTemplate.query(
                            conn,
                            "SELECT COUNT(*) FROM (SELECT 1" + rows + EventTable.fill("status IN ({pending}) LIMIT ")
                                    + COUNTED + ") AS p",
                            JdbcTemplate.Binder.NOTHING,
                            row -> row.getInt(1))
                    .get(0);
            if (pending > 0) {
                return (pending == COUNTED ? "at least " : "") + pending + " event(s) are not delivered yet";
            }
            if (hasYounger(conn, rows + EventTable.fill("status = {done}"), cutoff.doneBefore())) {
                return "some events ended within the retention";
            }
            return hasYounger(conn, rows + EventTable.fill("status = {dead}"), cutoff.deadBefore())
                    ? "some events died within the retention of dead letters"
                    : "";
        }

        private boolean hasYounger(Connection conn, String rows, Instant before) throws SQLException {
            return !JdbcTemplate.query(
                            conn,
                            "SELECT 1" + rows + " AND COALESCE(done_at, created_at) >= ? LIMIT 1",
                            statement -> table.dialect().times().bind(statement, 1, before),
                            row -> row.getInt(1))
                    .isEmpty();
        }

        private void archiveAndDrop(LocalDate day) throws SQLException {
            String detached = table.detachedName(day);
            try {
                archive(day, detached);
            } catch (IOException e) {
                kept.add(detached + ": could not be archived to " + archive + " (" + e.getMessage()
                        + "); it is kept as a separate table and retried");
                LOG.log(
                        Level.ERROR,
                        detached + " could not be archived and is not dropped; retrying in the next round",
                        e);
                return;
            }
            UnitOfWork.run(
                    connections,
                    conn -> JdbcTemplate.update(conn, "DROP TABLE " + detached, JdbcTemplate.Binder.NOTHING));
            dropped.add(day.toString());
        }

        private void archive(LocalDate day, String detached) throws SQLException, IOException {
            List<String> page = archive == EventArchive.NONE ? List.of() : page(detached, "");
            if (page.isEmpty()) {
                return;
            }
            try (EventArchive.Volume volume = archive.open(table.tableName() + "-" + day)) {
                while (!page.isEmpty()) {
                    add(volume, detached, page);
                    page = page(detached, page.get(page.size() - 1));
                }
                volume.complete();
            }
        }

        private List<String> page(String detached, String after) throws SQLException {
            return UnitOfWork.run(
                    connections,
                    conn -> JdbcTemplate.query(
                            conn,
                            "SELECT event_id FROM " + detached + " WHERE event_id > ? ORDER BY event_id LIMIT "
                                    + ARCHIVE_PAGE,
                            statement -> statement.setString(1, after),
                            row -> row.getString(1)));
        }

        private void add(EventArchive.Volume volume, String detached, List<String> page)
                throws SQLException, IOException {
            try {
                UnitOfWork.run(connections, conn -> {
                    try {
                        volume.add(conn, detached, page);
                        return page;
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
            } catch (UncheckedIOException e) {
                throw Objects.requireNonNull(e.getCause());
            }
        }

        void purgeRest() throws SQLException {
            int batch;
            do {
                batch = UnitOfWork.run(connections, conn -> {
                    table.prepareDeletion(conn);
                    return byAgeAlone
                            ? table.agePurgerOfRest(archive).purge(conn, cutoff.doneBefore(), PURGE_BATCH)
                            : table.purgerOfRest(archive).purge(conn, cutoff, PURGE_BATCH);
                });
                purged += batch;
            } while (batch == PURGE_BATCH);
        }
    }

    @Override
    public String toString() {
        return "daily partitions of " + table.tableName();
    }
}
