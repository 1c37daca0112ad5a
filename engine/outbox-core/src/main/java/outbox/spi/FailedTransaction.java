package outbox.spi;

import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Knows of transactions whose commit becomes a rollback without a word. On PostgreSQL that is every transaction in which
 * a statement failed and somebody swallowed the exception: the driver's {@code commit()} returns as if all were well, and
 * what is done after a commit would be done for changes that do not exist. The driver knows the state, so nothing is sent
 * to the server. Stateless, thread-safe.
 */
public final class FailedTransaction {
    private static final @Nullable Class<?> POSTGRES_CONNECTION = find("org.postgresql.jdbc.PgConnection");
    private static final @Nullable Method POSTGRES_STATE = stateOf(POSTGRES_CONNECTION);

    private FailedTransaction() {}

    /** Whether a commit on this connection would be a rollback. Where nobody can tell, the answer is no. */
    public static boolean isOn(Connection connection) throws SQLException {
        if (POSTGRES_CONNECTION == null || POSTGRES_STATE == null || !connection.isWrapperFor(POSTGRES_CONNECTION)) {
            return false;
        }
        try {
            return String.valueOf(POSTGRES_STATE.invoke(connection.unwrap(POSTGRES_CONNECTION)))
                    .equals("FAILED");
        } catch (ReflectiveOperationException e) {
            return false;
        }
    }

    private static @Nullable Class<?> find(String driverClass) {
        try {
            return Class.forName(driverClass, false, FailedTransaction.class.getClassLoader());
        } catch (ClassNotFoundException | LinkageError e) {
            return null;
        }
    }

    private static @Nullable Method stateOf(@Nullable Class<?> connectionClass) {
        try {
            return connectionClass == null ? null : connectionClass.getMethod("getTransactionState");
        } catch (NoSuchMethodException | LinkageError e) {
            return null;
        }
    }
}
