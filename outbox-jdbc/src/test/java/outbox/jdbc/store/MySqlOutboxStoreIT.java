package outbox.jdbc.store;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMySql;

class MySqlOutboxStoreIT extends JdbcStoreContract {
    MySqlOutboxStoreIT() {
        super(new MySqlOutboxStore());
    }

    @Override
    DatabaseServer server() {
        return EmbeddedMySql.shared();
    }
}
