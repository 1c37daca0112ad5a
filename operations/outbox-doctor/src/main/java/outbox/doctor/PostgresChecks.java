package outbox.doctor;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Checks specific to PostgreSQL. */
final class PostgresChecks {
    static final List<Check> ALL = List.of(
            new Check("durability", PostgresChecks::durability),
            new Check("autovacuum", PostgresChecks::autovacuum),
            new Check("dead tuples", PostgresChecks::deadTuples),
            new Check("open transactions", PostgresChecks::openTransactions),
            new Check("replication slots", PostgresChecks::slots),
            new Check("collation", PostgresChecks::collation));

    private static final double SHARE = 0.2;
    /** The table itself and its partitions, if any. */
    private static final String PARTS = "relid = to_regclass(?) OR relid IN"
            + " (SELECT inhrelid FROM pg_inherits WHERE inhparent = to_regclass(?))";

    private static final String OLDEST_TRANSACTION = """
            SELECT 'process ' || pid || ' of ' || usename || ', ' || COALESCE(NULLIF(application_name, ''), 'no name')
                || ', ' || state,
              EXTRACT(EPOCH FROM clock_timestamp() - xact_start), 'SELECT pg_terminate_backend(' || pid || ');'
            FROM pg_stat_activity
            WHERE xact_start IS NOT NULL AND pid <> pg_backend_pid() AND datname = current_database()
              AND backend_type = 'client backend'
            UNION ALL
            SELECT 'prepared transaction ' || gid, EXTRACT(EPOCH FROM clock_timestamp() - prepared),
              'ROLLBACK PREPARED ' || quote_literal(gid) || ';'
            FROM pg_prepared_xacts WHERE database = current_database()
            ORDER BY 2 DESC LIMIT 1
            """;
    /** Session details are visible to their own user and to members of pg_monitor. */
    private static final String HIDDEN_SESSIONS = """
            SELECT COUNT(*) FROM pg_stat_activity
            WHERE datname = current_database() AND query = '<insufficient privilege>'
            """;

    private static final String SLOTS = """
            SELECT slot_name, active, wal_status, pg_wal_lsn_diff(
              CASE WHEN pg_is_in_recovery() THEN pg_last_wal_receive_lsn() ELSE pg_current_wal_lsn() END, restart_lsn)
            FROM pg_replication_slots
            """;

    private PostgresChecks() {}

    private static Map<String, String> settings(Examination examination, String... names) throws SQLException {
        Map<String, String> settings = new LinkedHashMap<>();
        for (String name : names) {
            settings.put(name, examination.ask().text("SELECT current_setting(?, true)", name));
        }
        return settings;
    }

    private static List<Finding> durability(Examination examination) throws SQLException {
        Map<String, String> settings =
                settings(examination, "fsync", "full_page_writes", "synchronous_commit", "server_encoding");
        List<Finding> findings = new ArrayList<>();
        for (String name : List.of("fsync", "full_page_writes")) {
            if ("off".equals(settings.get(name))) {
                findings.add(notDurable(
                        name + " is off",
                        Severity.CRITICAL,
                        "a crash of the machine can destroy the whole database, not only the outbox",
                        "ALTER SYSTEM SET " + name + " = on;\nSELECT pg_reload_conf();"));
            }
        }
        if ("off".equals(settings.get("synchronous_commit"))) {
            findings.add(notDurable(
                    "synchronous_commit is off on connections of the data source",
                    Severity.WARNING,
                    "a crash of the server loses the latest transactions that were reported as committed, some of"
                            + " whose events have been delivered already",
                    "ALTER SYSTEM SET synchronous_commit = on;\nSELECT pg_reload_conf();"));
        }
        String persistence = examination
                .ask()
                .text("SELECT relpersistence FROM pg_class WHERE oid = to_regclass(?)", examination.tableName());
        if ("u".equals(persistence)) {
            findings.add(notDurable(
                    "table " + examination.tableName() + " is unlogged",
                    Severity.CRITICAL,
                    "after a crash it is empty: all events that were not delivered are lost",
                    "ALTER TABLE " + examination.tableName() + " SET LOGGED;"));
        }
        String encoding = settings.get("server_encoding");
        if (!"UTF8".equals(encoding)) {
            findings.add(Finding.of(
                    FindingCode.CHARSET,
                    Severity.WARNING,
                    "the database's encoding is " + encoding,
                    "an event with an unsupported character is rejected, and its transaction with it",
                    "move to a database with encoding UTF8"));
        }
        return findings;
    }

    private static Finding notDurable(String seen, Severity severity, String why, String sql) {
        return Finding.of(
                FindingCode.NOT_DURABLE, severity, seen, why, "turn it on; durable commits cost this much", sql);
    }

    private static List<Finding> autovacuum(Examination examination) throws SQLException {
        Map<String, String> settings = settings(examination, "autovacuum", "track_counts");
        List<Finding> findings = new ArrayList<>();
        settings.forEach((name, value) -> {
            if (value.equals("off")) {
                findings.add(autovacuumOff(
                        name + " is off for the whole server",
                        "ALTER SYSTEM SET " + name + " = on;\nSELECT pg_reload_conf();"));
            }
        });
        String options = examination
                .ask()
                .text(
                        "SELECT array_to_string(reloptions, ',') FROM pg_class WHERE oid = to_regclass(?)",
                        examination.tableName());
        if (options.matches(".*autovacuum_enabled=(false|off|no|0).*")) {
            findings.add(autovacuumOff(
                    "autovacuum is off for table " + examination.tableName(),
                    "ALTER TABLE " + examination.tableName() + " RESET (autovacuum_enabled);"));
        }
        return findings;
    }

    private static Finding autovacuumOff(String seen, String sql) {
        return Finding.of(
                FindingCode.AUTOVACUUM_OFF,
                Severity.WARNING,
                seen,
                "every settled event leaves a dead row version behind: table and indexes only grow, and each claim scans"
                        + " dead row versions",
                "turn it on",
                sql);
    }

    private static List<Finding> deadTuples(Examination examination) throws SQLException {
        record Tuples(long live, long dead, @Nullable String vacuumed) {}
        String table = examination.tableName();
        Tuples tuples = examination
                .ask()
                .list(
                        "SELECT COALESCE(SUM(n_live_tup), 0), COALESCE(SUM(n_dead_tup), 0),"
                                + " MAX(GREATEST(last_autovacuum, last_vacuum))::timestamp(0)::text"
                                + " FROM pg_stat_user_tables WHERE " + PARTS,
                        row -> new Tuples(row.getLong(1), row.getLong(2), row.getString(3)),
                        table,
                        table)
                .get(0);
        if (tuples.dead() < examination.limits().deadRows() || tuples.dead() < SHARE * tuples.live()) {
            return List.of();
        }
        return List.of(Finding.of(
                FindingCode.DEAD_TUPLES,
                Severity.WARNING,
                tuples.dead() + " dead row versions and " + tuples.live() + " live ones; last vacuum: "
                        + (tuples.vacuumed() == null ? "never" : tuples.vacuumed()),
                "claims scan them, and the table grows",
                "check whether an open transaction or a replication slot blocks vacuum, whether autovacuum is on, and"
                        + " whether the table has the storage parameters of the shipped schema; then",
                "VACUUM (ANALYZE) " + table + ";"));
    }

    private static List<Finding> openTransactions(Examination examination) throws SQLException {
        record Open(String who, double seconds, String end) {}
        long hidden = examination.ask().number(HIDDEN_SESSIONS);
        if (hidden > 0) {
            examination.couldNotSee(
                    "open transactions of other users",
                    hidden + " sessions are not visible to this user: GRANT pg_monitor TO "
                            + examination.ask().text("SELECT quote_ident(current_user)") + ";");
        }
        Open oldest = examination
                .ask()
                .first(OLDEST_TRANSACTION, row -> new Open(row.getString(1), row.getDouble(2), row.getString(3)));
        Duration limit = examination.limits().openTransaction();
        if (oldest == null || oldest.seconds() * 1000 <= limit.toMillis()) {
            return List.of();
        }
        return List.of(Finding.of(
                FindingCode.OPEN_TRANSACTION,
                Severity.WARNING,
                "the oldest transaction is open for "
                        + Examination.text(Duration.ofMillis((long) (oldest.seconds() * 1000))) + ": " + oldest.who(),
                "vacuum cannot remove row versions that became obsolete since then, so every claim scans all rows"
                        + " delivered meanwhile; and events written by this transaction are not delivered yet",
                "wait for it to end; check for a connection that was not returned to the pool, and set"
                        + " idle_in_transaction_session_timeout. To terminate it:",
                oldest.end()));
    }

    private static List<Finding> slots(Examination examination) throws SQLException {
        record Slot(String name, boolean active, @Nullable String status, long bytes) {}
        List<Finding> findings = new ArrayList<>();
        for (Slot slot : examination
                .ask()
                .list(SLOTS, row -> new Slot(row.getString(1), row.getBoolean(2), row.getString(3), row.getLong(4)))) {
            boolean lost = "lost".equals(slot.status()) || "unreserved".equals(slot.status());
            if (!lost && slot.bytes() < examination.limits().slotBytes()) {
                continue;
            }
            findings.add(Finding.of(
                    FindingCode.SLOT_LAG,
                    lost || !slot.active() ? Severity.CRITICAL : Severity.WARNING,
                    "replication slot " + slot.name() + (slot.active() ? " is active" : " is inactive")
                            + " and retains " + slot.bytes() / (1 << 20) + " MB of log; its state is " + slot.status(),
                    lost
                            ? "the log it needs was or will be removed: its reader must start over and misses changes in between"
                            : "the log cannot be removed until it is read: an inactive slot fills the disk, and"
                                    + " then the whole database stops",
                    "start its reader, or find out why it is slow; if the slot is no longer needed, drop it. To limit it:"
                            + " max_slot_wal_keep_size",
                    slot.active()
                            ? null
                            : "SELECT pg_drop_replication_slot('" + slot.name().replace("'", "''") + "');"));
        }
        return findings;
    }

    private static List<Finding> collation(Examination examination) {
        TableSeen.Column id = examination.table().column("event_id");
        String collation = id == null ? null : id.collation();
        if (collation == null || collation.equals("C") || collation.equals("POSIX")) {
            return List.of();
        }
        return List.of(Finding.of(
                FindingCode.COLLATION,
                Severity.INFO,
                "event_id uses the language-specific collation " + collation,
                "each lookup by id is several times slower than with collation C",
                "change the column to the collation of the shipped schema; this rewrites the index, so do it at a quiet time",
                "ALTER TABLE " + examination.tableName() + " ALTER COLUMN event_id TYPE VARCHAR(36) COLLATE \"C\";"));
    }
}
