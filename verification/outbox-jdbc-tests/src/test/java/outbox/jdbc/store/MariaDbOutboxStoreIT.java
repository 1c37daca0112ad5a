package outbox.jdbc.store;

import outbox.testing.server.EmbeddedMariaDb;

class MariaDbOutboxStoreIT extends JdbcStoreContract {
    MariaDbOutboxStoreIT() {
        super(EmbeddedMariaDb::shared, new MariaDbOutboxStore());
    }
}
