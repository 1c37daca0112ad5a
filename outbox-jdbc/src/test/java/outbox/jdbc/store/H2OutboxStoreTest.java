package outbox.jdbc.store;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedH2;

class H2OutboxStoreTest extends JdbcStoreContract {
    H2OutboxStoreTest() {
        super(new H2OutboxStore());
    }

    @Override
    DatabaseServer server() {
        return EmbeddedH2.shared();
    }

    @Override
    String jsonParameter() {
        return "? FORMAT JSON";
    }
}
