package outbox.doctor;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** What can be wrong with MySQL and MariaDB only. */
final class MySqlChecks {
    static final List<Check> ALL = List.of(
            new Check("engine", MySqlChecks::engine),
            new Check("durability", MySqlChecks::durability),
            new Check("character set and collation", MySqlChecks::text),
            new Check("strict mode", MySqlChecks::strictMode),
            new Check("open transactions", MySqlChecks::openTransactions),
            new Check("undo history", MySqlChecks::history));

    /** Names and ids that are compared with each other. */
    private static final List<String> COMPARED =
            List.of("event_id", "event_type", "aggregate_type", "aggregate_id", "tenant_id", "locked_by");

    private static final String OLDEST_TRANSACTION = """
            SELECT trx_mysql_thread_id, trx_state, TIMESTAMPDIFF(MICROSECOND, trx_started, NOW(6))
            FROM information_schema.INNODB_TRX WHERE trx_mysql_thread_id <> CONNECTION_ID() AND trx_mysql_thread_id > 0
            ORDER BY trx_started LIMIT 1
            """;

    /** A dead row version is a hundred entries' worth of trouble less here than on PostgreSQL: it lies elsewhere. */
    private static final int HISTORY_FACTOR = 100;

    private MySqlChecks() {}

    private static List<Finding> engine(Examination examination) throws SQLException {
        Catalog.Evidence evidence = examination.catalog().transactional(examination.ask(), examination.tableName());
        if (evidence.holds()) {
            return List.of();
        }
        return List.of(Finding.of(
                "table-not-transactional",
                Severity.CRITICAL,
                evidence.words(),
                "an event is there although its transaction was rolled back: the very thing an outbox is against",
                "move the table to InnoDB",
                "ALTER TABLE " + examination.tableName() + " ENGINE = InnoDB;"));
    }

    private static List<Finding> durability(Examination examination) throws SQLException {
        long flush = examination.ask().number("SELECT @@global.innodb_flush_log_at_trx_commit");
        if (flush == 1) {
            return List.of();
        }
        return List.of(Finding.of(
                "not-durable",
                Severity.WARNING,
                "innodb_flush_log_at_trx_commit is " + flush,
                "a crash of the " + (flush == 0 ? "server" : "machine")
                        + " loses the last second of transactions that were"
                        + " reported as committed, some of whose events have been delivered already",
                "set it to 1, also in the server's configuration file; what it costs is the price of a commit",
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
                    "charset",
                    Severity.WARNING,
                    "character sets other than utf8mb4: " + narrow,
                    "an event with a character it does not know, such as many Chinese ones or an emoji, is refused or"
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
                    "collation",
                    Severity.WARNING,
                    "compared by the rules of a language: " + loose,
                    "'order-a' and 'ORDER-A' are one aggregate, one id or one owner there; ordering mixes two aggregates,"
                            + " and every comparison is slower than byte by byte",
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
                "not-strict",
                Severity.WARNING,
                "connections of the data source have no strict mode; sql_mode is '" + mode + "'",
                "a text that is too long is cut without an error: two ids may become one",
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
                "open-transaction",
                Severity.WARNING,
                "the oldest transaction is open for " + Examination.text(Duration.ofNanos(oldest.micros() * 1000))
                        + ": connection " + oldest.thread() + ", "
                        + oldest.state().toLowerCase(Locale.ROOT),
                "InnoDB may not remove any row version that died since then, so every claim reads through all that was"
                        + " delivered meanwhile; and events it wrote are not delivered yet",
                "let it end; look for a connection that was taken from the pool and not given back. To end it by force:",
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
                "dead-tuples",
                Severity.WARNING,
                "the history list of InnoDB has " + length + " transactions that are not purged",
                "claims read through row versions that nobody needs any more, on the whole server",
                "see whether an open transaction holds the purge back; else raise innodb_purge_threads"));
    }
}
