package outbox.spi;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** Short-lived connections for the engine, outside of any business transaction. The caller closes them. */
@FunctionalInterface
public interface ConnectionProvider {
    Connection getConnection() throws SQLException;

    /**
     * How long the engine waits for an answer of the database on one of these connections, before it takes the
     * connection for dead; zero for as long as the driver does. Dispatcher and poller replace zero by a limit of their own.
     */
    default Duration networkTimeout() {
        return Duration.ZERO;
    }

    /** These connections with another {@link #networkTimeout()}. */
    default ConnectionProvider withNetworkTimeout(Duration limit) {
        if (limit.isNegative()) {
            throw new IllegalArgumentException("the network timeout must not be negative: " + limit);
        }
        ConnectionProvider unlimited = this;
        return new ConnectionProvider() {
            @Override
            public Connection getConnection() throws SQLException {
                return unlimited.getConnection();
            }

            @Override
            public Duration networkTimeout() {
                return limit;
            }
        };
    }
}
