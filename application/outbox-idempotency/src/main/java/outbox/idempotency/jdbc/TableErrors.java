package outbox.idempotency.jdbc;

import java.sql.SQLException;
import java.util.Set;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.SqlDialect;

/** Classifies SQL errors and creates exceptions for them. */
final class TableErrors {
    private static final int MARIADB_CHANGED_SINCE_READ = 1020;
    private static final int MYSQL_LOCK_WAIT_TIMEOUT = 1205;
    private static final int MYSQL_DEADLOCK = 1213;
    private static final Set<String> TRANSIENT_STATES = Set.of("40001", "40P01", "HYT00", "55P03");

    private TableErrors() {}

    /** Whether retrying the transaction may succeed. */
    static boolean isTransient(SQLException e) {
        return TRANSIENT_STATES.contains(String.valueOf(e.getSQLState()))
                || e.getErrorCode() == MARIADB_CHANGED_SINCE_READ
                || e.getErrorCode() == MYSQL_DEADLOCK
                || e.getErrorCode() == MYSQL_LOCK_WAIT_TIMEOUT;
    }

    static OutboxStoreException failed(String step, String table, String key, SQLException e) {
        return new OutboxStoreException(
                step + " in " + table + " failed for " + key + ": SQLState " + e.getSQLState() + ", error "
                        + e.getErrorCode() + " (see the cause)",
                e);
    }

    static IllegalStateException missing(String table, SqlDialect dialect, SQLException e) {
        return new IllegalStateException(
                "table " + table + " does not exist: run outbox/idempotency/schema/" + dialect.name()
                        + ".sql of outbox-idempotency, or IdempotencySchema.of(\"" + dialect.name()
                        + "\").apply(connection)",
                e);
    }
}
