package outbox.jdbc.purge;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import outbox.jdbc.TestTable;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.spi.ConnectionProvider;
import outbox.spi.EventPurger;
import outbox.testing.EventPurgerContract;
import outbox.testing.StoredRow;
import outbox.testing.server.DatabaseServer;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class JdbcPurgerContract extends EventPurgerContract {
    private final Supplier<DatabaseServer> server;
    private final AbstractJdbcOutboxStore store;
    private TestTable table;

    JdbcPurgerContract(Supplier<DatabaseServer> server, AbstractJdbcOutboxStore store) {
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

    final AbstractJdbcOutboxStore store() {
        return store;
    }

    @AfterAll
    void dropDatabase() throws SQLException {
        table.close();
    }

    @Override
    protected EventPurger purger() {
        return store.purger();
    }

    @Override
    protected ConnectionProvider connections() {
        return table.dataSource()::getConnection;
    }

    @Override
    protected StoredRow read(Connection conn, String eventId) throws SQLException {
        return table.read(conn, eventId);
    }
}
