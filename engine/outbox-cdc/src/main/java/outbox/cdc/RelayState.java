package outbox.cdc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.TimeColumns;
import outbox.spi.UnitOfWork;

/**
 * The connection for Debezium's offset and schema history. It stays open, because the offset is stored after every
 * batch, and is replaced when it breaks. Not thread-safe.
 */
final class RelayState implements AutoCloseable {
    private static final String PREFIX = "outbox.";
    private static final int VALID_WITHIN_SECONDS = 5;
    /** A statement that hangs here would keep Debezium from stopping its task and closing its replication session. */
    static final Duration ANSWER_LIMIT = Duration.ofSeconds(10);

    private final DatabaseAddress address;
    private final String relay;
    private final Duration answerLimit;
    private @Nullable Connection connection;

    private RelayState(DatabaseAddress address, String relay, Duration answerLimit) {
        this.address = address;
        this.relay = relay;
        this.answerLimit = answerLimit;
    }

    /** Settings that {@link #from} reads in a class instantiated by Debezium. */
    static Map<String, String> settings(DatabaseAddress address, String relay) {
        return Map.of(
                PREFIX + "url", address.jdbcUrl(),
                PREFIX + "user", address.user(),
                PREFIX + "password", address.password(),
                PREFIX + "relay", relay);
    }

    static RelayState from(Map<String, String> settings, Duration answerLimit) {
        return new RelayState(
                DatabaseAddress.of(setting(settings, "url"), setting(settings, "user"), setting(settings, "password")),
                setting(settings, "relay"),
                answerLimit);
    }

    private static String setting(Map<String, String> settings, String name) {
        return Objects.requireNonNull(settings.get(PREFIX + name), () -> "setting " + PREFIX + name);
    }

    String relay() {
        return relay;
    }

    TimeColumns times() {
        return address.times();
    }

    <T> T run(UnitOfWork.Work<T> work) throws SQLException {
        Connection conn = connection;
        if (conn == null || !conn.isValid(VALID_WITHIN_SECONDS)) {
            close();
            conn = address.connect(answerLimit);
            conn.setAutoCommit(false);
            connection = conn;
        }
        try {
            T result = work.on(conn);
            conn.commit();
            return result;
        } catch (SQLException | RuntimeException e) {
            close(); // which rolls back
            throw e;
        }
    }

    @Override
    public void close() {
        Connection conn = connection;
        connection = null;
        if (conn != null) {
            try {
                conn.close();
            } catch (SQLException e) {
                // the connection is discarded anyway
            }
        }
    }
}
