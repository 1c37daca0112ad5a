package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import outbox.spi.ConnectionProvider;
import outbox.testing.LeasingOutboxStoreContract;
import outbox.testing.StoredRow;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.TestDatabase;

/** The store contract on a database of its own, with the schema this module ships, made anew for each test. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class JdbcStoreContract extends LeasingOutboxStoreContract {
    private final AbstractJdbcOutboxStore store;
    private TestDatabase database;

    JdbcStoreContract(AbstractJdbcOutboxStore store) {
        this.store = store;
    }

    abstract DatabaseServer server();

    /** Runs once, before the schema is applied. */
    void prepare(Connection conn) throws SQLException {}

    /** How this database takes a parameter of JSON text. */
    String jsonParameter() {
        return "?";
    }

    @Override
    protected AbstractJdbcOutboxStore openStore() throws SQLException {
        boolean first = database == null;
        if (first) {
            database = server().freshDatabase();
        }
        try (Connection conn = dataSource().getConnection();
                Statement statement = conn.createStatement()) {
            if (first) {
                prepare(conn);
            } else {
                statement.execute("DROP TABLE " + store.tableName());
            }
            store.schema().apply(conn);
        }
        return store;
    }

    @AfterAll
    void dropDatabase() {
        database.drop();
    }

    DataSource dataSource() {
        return database.dataSource();
    }

    @Override
    protected ConnectionProvider connections() {
        return dataSource()::getConnection;
    }

    @Override
    protected StoredRow read(Connection conn, String eventId) throws SQLException {
        return StoredRow.read(conn, store.tableName(), eventId);
    }

    @Override
    protected void writeHeaders(Connection conn, String eventId, String json) throws SQLException {
        try (PreparedStatement statement = conn.prepareStatement(
                "UPDATE " + store.tableName() + " SET headers = " + jsonParameter() + " WHERE event_id = ?")) {
            statement.setString(1, json);
            statement.setString(2, eventId);
            statement.executeUpdate();
        }
    }
}
