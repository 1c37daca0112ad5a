package outbox.doctor;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Checks specific to MySQL and MariaDB. */
final class MySqlChecks {
    static final List<Check> ALL = List.of(
            new Check("engine", MySqlChecks::engine),
            new Check("durability", MySqlChecks::durability),
            new Check("character set and collation", MySqlChecks::text),
            new Check("strict mode", MySqlChecks::strictMode),
            new Check("open transactions", MySqlChecks::openTransactions),
            new Check("undo history", MySqlChecks::history));

    /** Columns with names and ids that are compared. */
    private static final List<String> COMPARED =
            List.of("event_id", "event_type", "aggregate_type", "aggregate_id", "tenant_id", "locked_by");

    private static final String OLDEST_TRANSACTION = """
            SELECT trx_mysql_thread_id, trx_state, TIMESTAMPDIFF(MICROSECOND, trx_started, NOW(6))
            FROM information_schema.INNODB_TRX WHERE trx_mysql_thread_id <> CONNECTION_ID() AND trx_mysql_thread_id > 0
            ORDER BY trx_started LIMIT 1
            """;

    /** Old row versions are stored outside the table and cost less than on PostgreSQL. */
    private static final int HISTORY_FACTOR = 100;

    private MySqlChecks() {}

    private static List<Finding> engine(Examination examination) throws SQLException {
        Catalog.Evidence evidence = examination.catalog().transactional(examination.ask(), examination.tableName());
        if (evidence.holds()) {
            return List.of();
        }
        return List.of(Finding.of(
                FindingCode.TABLE_NOT_TRANSACTIONAL,
                Severity.CRITICAL,
                evidence.words(),
                "an event stays although its transaction was rolled back, which an outbox must prevent",
                "move the table to InnoDB",
                "ALTER TABLE " + examination.tableName() + " ENGINE = InnoDB;"));
    }

    private static List<Finding> durability(Examination examination) throws SQLException {
        long flush = examination.ask().number("SELECT @@global.innodb_flush_log_at_trx_commit");
        if (flush == 1) {
            return List.of();
        }
        return List.of(Finding.of(
                FindingCode.NOT_DURABLE,
                Severity.WARNING,
                "innodb_flush_log_at_trx_commit is " + flush,
                "a crash of the " + (flush == 0 ? "server" : "machine")
                        + " loses the last second of transactions that were"
                        + " reported as committed, some of whose events have been delivered already",
                "set it to 1, also in the server's configuration file; durable commits cost this much",
                "SET GLOBAL innodb_flush_log_at_trx_commit = 1;"));
    }

    private static List<Finding> text(Examination examination) {
        List<Finding> findings = new ArrayList<>();
        String convert =
                "ALTER TABLE " + examination.tableName() + " CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;";
        List<TableSeen.Column> columns = examination.table().columns();
        String narrow = columns.stream()
                .filter(column -> column.charset() != null && !column.charset().equals("utf8mb4"))
                .map(column -> column.name() + " " + column.charset())
                .collect(Collectors.joining(", "));
        if (!narrow.isEmpty()) {
            findings.add(Finding.of(
                    FindingCode.CHARSET,
                    Severity.WARNING,
                    "character sets other than utf8mb4: " + narrow,
                    "an event with an unsupported character, such as some Chinese characters or emoji, is rejected or"
                            + " stored as question marks",
                    "convert the table",
                    convert));
        }
        String loose = columns.stream()
                .filter(column -> COMPARED.contains(column.name()))
                .filter(column -> column.collation() != null
                        && !column.collation().toLowerCase(Locale.ROOT).endsWith("_bin"))
                .map(column -> column.name() + " " + column.collation())
                .collect(Collectors.joining(", "));
        if (!loose.isEmpty()) {
            findings.add(Finding.of(
                    FindingCode.COLLATION,
                    Severity.WARNING,
                    "columns with a language-specific collation: " + loose,
                    "'order-a' and 'ORDER-A' count as the same aggregate, id or owner; ordered delivery mixes two aggregates,"
                            + " and comparisons are slower than with a binary collation",
                    "convert the table",
                    convert));
        }
        return findings;
    }

    private static List<Finding> strictMode(Examination examination) throws SQLException {
        String mode = examination.ask().text("SELECT @@session.sql_mode");
        if (mode.contains("STRICT_TRANS_TABLES") || mode.contains("STRICT_ALL_TABLES")) {
            return List.of();
        }
        return List.of(Finding.of(
                FindingCode.NOT_STRICT,
                Severity.WARNING,
                "connections of the data source have no strict mode; sql_mode is '" + mode + "'",
                "texts that are too long are truncated without an error: two ids may become equal",
                "add STRICT_TRANS_TABLES to sql_mode, also in the server's configuration file",
                "SET GLOBAL sql_mode = CONCAT_WS(',', NULLIF(@@global.sql_mode, ''), 'STRICT_TRANS_TABLES');"));
    }

    private static List<Finding> openTransactions(Examination examination) throws SQLException {
        record Open(long thread, String state, long micros) {}
        Open oldest = examination
                .ask()
                .first(OLDEST_TRANSACTION, row -> new Open(row.getLong(1), row.getString(2), row.getLong(3)));
        Duration limit = examination.limits().openTransaction();
        if (oldest == null || oldest.micros() <= limit.toMillis() * 1000) {
            return List.of();
        }
        return List.of(Finding.of(
                FindingCode.OPEN_TRANSACTION,
                Severity.WARNING,
                "the oldest transaction is open for " + Examination.text(Duration.ofNanos(oldest.micros() * 1000))
                        + ": connection " + oldest.thread() + ", "
                        + oldest.state().toLowerCase(Locale.ROOT),
                "InnoDB cannot remove row versions that became obsolete since then, so every claim scans all rows"
                        + " delivered meanwhile; and events written by this transaction are not delivered yet",
                "wait for it to end; check for a connection that was not returned to the pool. To terminate it:",
                "KILL " + oldest.thread() + ";"));
    }

    private static List<Finding> history(Examination examination) throws SQLException {
        long length = examination
                .ask()
                .number("SELECT `COUNT` FROM information_schema.INNODB_METRICS WHERE NAME = 'trx_rseg_history_len'");
        if (length < examination.limits().deadRows() * HISTORY_FACTOR) {
            return List.of();
        }
        return List.of(Finding.of(
                FindingCode.DEAD_TUPLES,
                Severity.WARNING,
                "the history list of InnoDB has " + length + " transactions that are not purged",
                "claims scan obsolete row versions, on the whole server",
                "check whether an open transaction blocks the purge; otherwise raise innodb_purge_threads"));
    }
}
