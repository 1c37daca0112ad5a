package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import outbox.jdbc.OutboxSchema;
import outbox.spi.ConnectionProvider;
import outbox.testing.LeasingOutboxStoreContract;
import outbox.testing.StoredRow;

/** The store contract in H2's compatibility modes, and on the table as the specification writes it. */
class H2ModesTest {
    private static final String SPECIFICATION = """
            CREATE TABLE outbox_event (
              event_id VARCHAR(36) PRIMARY KEY,
              event_type VARCHAR(128) NOT NULL,
              aggregate_type VARCHAR(64),
              aggregate_id VARCHAR(128),
              tenant_id VARCHAR(64),
              payload JSON NOT NULL,
              headers JSON,
              status TINYINT NOT NULL,
              attempts INT NOT NULL DEFAULT 0,
              available_at DATETIME(6) NOT NULL,
              created_at DATETIME(6) NOT NULL,
              done_at DATETIME(6),
              last_error TEXT,
              locked_by VARCHAR(128),
              locked_at DATETIME(6)
            );
            CREATE INDEX idx_status_available ON outbox_event(status, available_at, created_at)
            """;

    /** One database per test; the session's zone is far from UTC. */
    abstract static class InMode extends LeasingOutboxStoreContract {
        private final String options;
        private final String ddl;
        private String url;

        InMode(String options, String ddl) {
            this.options = options;
            this.ddl = ddl;
        }

        @Override
        protected H2OutboxStore openStore() throws SQLException {
            url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;TIME ZONE=Asia/Kolkata" + options;
            execute(ddl);
            return new H2OutboxStore();
        }

        private void execute(String sql) throws SQLException {
            try (Connection conn = DriverManager.getConnection(url);
                    Statement statement = conn.createStatement()) {
                for (String single : sql.split(";")) {
                    statement.execute(single);
                }
            }
        }

        @AfterEach
        void shutDown() throws SQLException {
            execute("SHUTDOWN");
        }

        @Override
        protected ConnectionProvider connections() {
            return () -> DriverManager.getConnection(url);
        }

        @Override
        protected StoredRow read(Connection conn, String eventId) throws SQLException {
            return StoredRow.read(conn, "outbox_event", eventId);
        }

        @Override
        protected void writeHeaders(Connection conn, String eventId, String json) throws SQLException {
            try (Statement statement = conn.createStatement()) {
                statement.executeUpdate(
                        "UPDATE outbox_event SET headers = JSON '" + json + "' WHERE event_id = '" + eventId + "'");
            }
        }
    }

    private static String shipped() {
        return String.join(";", OutboxSchema.of("h2", "outbox_event").statements());
    }

    @Nested
    class MySqlModeWithTheTableOfTheSpecification extends InMode {
        MySqlModeWithTheTableOfTheSpecification() {
            super(";MODE=MySQL", SPECIFICATION);
        }
    }

    @Nested
    class MySqlModeWithLowerCaseNames extends InMode {
        MySqlModeWithLowerCaseNames() {
            super(";MODE=MySQL;DATABASE_TO_LOWER=TRUE", shipped());
        }
    }

    @Nested
    class PostgresMode extends InMode {
        PostgresMode() {
            super(";MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DEFAULT_NULL_ORDERING=HIGH", shipped());
        }
    }
}
