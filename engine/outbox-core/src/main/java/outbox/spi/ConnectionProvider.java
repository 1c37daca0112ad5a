package outbox.spi;

import java.sql.Connection;
import java.sql.SQLException;

/** Short-lived connections for the engine, outside of any business transaction. The caller closes them. */
@FunctionalInterface
public interface ConnectionProvider {
    Connection getConnection() throws SQLException;
}
