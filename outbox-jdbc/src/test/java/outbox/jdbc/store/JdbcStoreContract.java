package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import outbox.jdbc.TestTable;
import outbox.spi.ConnectionProvider;
import outbox.testing.LeasingOutboxStoreContract;
import outbox.testing.StoredRow;
import outbox.testing.server.DatabaseServer;

/** The store contract on a database of its own, with the schema this module ships, made anew for each test. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class JdbcStoreContract extends LeasingOutboxStoreContract {
    private final Supplier<DatabaseServer> server;
    private final AbstractJdbcOutboxStore store;
    private TestTable table;

    JdbcStoreContract(Supplier<DatabaseServer> server, AbstractJdbcOutboxStore store) {
        this.server = server;
        this.store = store;
    }

    @Override
    protected AbstractJdbcOutboxStore openStore() throws SQLException {
        if (table == null) {
            table = new TestTable(server.get(), store);
        } else {
            table.recreate();
        }
        return store;
    }

    @AfterAll
    void dropDatabase() throws SQLException {
        table.close();
    }

    final TestTable table() {
        return table;
    }

    @Override
    protected ConnectionProvider connections() {
        return table.dataSource()::getConnection;
    }

    @Override
    protected StoredRow read(Connection conn, String eventId) throws SQLException {
        return table.read(conn, eventId);
    }

    @Override
    protected void writeHeaders(Connection conn, String eventId, String json) throws SQLException {
        table.writeHeaders(conn, eventId, json);
    }
}
