package outbox.jdbc.engine;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import outbox.Outbox;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.registry.DefaultListenerRegistry;

/** A process that delivers what is in the table until nothing is left, unless an event ends it. */
final class DyingNode {
    static final int ALL_DONE = 0;
    static final int HALTED = 42;
    static final int MAX_ATTEMPTS = 3;

    private DyingNode() {}

    public static void main(String[] arguments) throws Exception {
        DefaultListenerRegistry listeners = new DefaultListenerRegistry()
                .register("A", "Good", event -> {})
                .register("A", "Kills", event -> Runtime.getRuntime().halt(HALTED));
        try (Outbox outbox = Outbox.multiNode()
                .store(JdbcOutboxStores.detect(arguments[0]))
                .connections(() -> connect(arguments))
                .listeners(listeners)
                .leaseTime(Duration.ofSeconds(3))
                .pollInterval(Duration.ofMillis(100))
                .maxAttempts(MAX_ATTEMPTS)
                .build()
                .start()) {
            while (isPending(arguments)) {
                LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
            }
        }
        System.exit(ALL_DONE);
    }

    private static Connection connect(String[] arguments) throws SQLException {
        return DriverManager.getConnection(arguments[0], arguments[1], arguments[2]);
    }

    private static boolean isPending(String[] arguments) throws SQLException {
        try (Connection conn = connect(arguments);
                Statement statement = conn.createStatement();
                ResultSet row = statement.executeQuery("SELECT COUNT(*) FROM outbox_event WHERE status IN (0, 2)")) {
            row.next();
            return row.getInt(1) > 0;
        }
    }
}
