package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import outbox.spi.ConnectionProvider;
import outbox.testing.LeasingOutboxStoreContract;
import outbox.testing.StoredRow;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.TestDatabase;

/** The store contract on a database of its own per test, with the schema this module ships. */
abstract class JdbcStoreContract extends LeasingOutboxStoreContract {
    private final AbstractJdbcOutboxStore store;
    private TestDatabase database;

    JdbcStoreContract(AbstractJdbcOutboxStore store) {
        this.store = store;
    }

    abstract DatabaseServer server();

    /** Runs before the schema is applied. */
    void prepare(Connection conn) throws SQLException {}

    /** How this database takes a parameter of JSON text. */
    String jsonParameter() {
        return "?";
    }

    @Override
    protected AbstractJdbcOutboxStore openStore() throws SQLException {
        database = server().freshDatabase();
        try (Connection conn = dataSource().getConnection()) {
            prepare(conn);
            store.schema().apply(conn);
        }
        return store;
    }

    @AfterEach
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
