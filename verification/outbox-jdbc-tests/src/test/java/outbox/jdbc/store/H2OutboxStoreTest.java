package outbox.jdbc.store;

import outbox.testing.server.EmbeddedH2;

class H2OutboxStoreTest extends JdbcStoreContract {
    H2OutboxStoreTest() {
        super(EmbeddedH2::shared, new H2OutboxStore());
    }
}
