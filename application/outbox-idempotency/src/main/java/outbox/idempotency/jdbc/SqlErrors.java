package outbox.idempotency.jdbc;

import java.sql.SQLException;
import java.util.Set;
import outbox.jdbc.OutboxStoreException;

/** Tells the kinds of SQL errors apart and puts them into words. */
final class SqlErrors {
    private static final int MYSQL_DUPLICATE_ENTRY = 1062;
    private static final int MARIADB_CHANGED_SINCE_READ = 1020;
    private static final int MYSQL_LOCK_WAIT_TIMEOUT = 1205;
    private static final int MYSQL_DEADLOCK = 1213;
    private static final Set<String> TRANSIENT_STATES = Set.of("40001", "40P01", "HYT00", "55P03");
    private static final Set<String> MISSING_TABLE_STATES = Set.of("42P01", "3F000", "42S02", "42S03", "42S04");

    private SqlErrors() {}

    static boolean isDuplicateKey(SQLException e) {
        return "23505".equals(e.getSQLState()) || e.getErrorCode() == MYSQL_DUPLICATE_ENTRY;
    }

    /** Whether the same transaction, begun again, may well succeed. */
    static boolean isTransient(SQLException e) {
        return TRANSIENT_STATES.contains(String.valueOf(e.getSQLState()))
                || e.getErrorCode() == MARIADB_CHANGED_SINCE_READ
                || e.getErrorCode() == MYSQL_DEADLOCK
                || e.getErrorCode() == MYSQL_LOCK_WAIT_TIMEOUT;
    }

    static boolean isMissingTable(SQLException e) {
        return MISSING_TABLE_STATES.contains(String.valueOf(e.getSQLState()));
    }

    static OutboxStoreException failed(String step, String table, String key, SQLException e) {
        return new OutboxStoreException(
                step + " in " + table + " failed for " + key + ": SQLState " + e.getSQLState() + ", error "
                        + e.getErrorCode() + " (see the cause)",
                e);
    }

    static IllegalStateException missing(String table, Flavor flavor, SQLException e) {
        return new IllegalStateException(
                "table " + table + " does not exist: run outbox/idempotency/schema/" + flavor.database()
                        + ".sql of outbox-idempotency, or IdempotencySchema.of(\"" + flavor.database()
                        + "\").apply(connection)",
                e);
    }
}
