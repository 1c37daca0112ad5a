package outbox.jdbc.store;

import outbox.testing.server.EmbeddedMySql;

class MySqlOutboxStoreIT extends JdbcStoreContract {
    MySqlOutboxStoreIT() {
        super(EmbeddedMySql::shared, new MySqlOutboxStore());
    }
}
