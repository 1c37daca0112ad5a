package outbox.jdbc.store;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMariaDb;

class MariaDbOutboxStoreIT extends JdbcStoreContract {
    MariaDbOutboxStoreIT() {
        super(new MariaDbOutboxStore());
    }

    @Override
    DatabaseServer server() {
        return EmbeddedMariaDb.shared();
    }
}
