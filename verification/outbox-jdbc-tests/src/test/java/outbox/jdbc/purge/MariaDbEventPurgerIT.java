package outbox.jdbc.purge;

import outbox.jdbc.store.MariaDbOutboxStore;
import outbox.testing.server.EmbeddedMariaDb;

class MariaDbEventPurgerIT extends JdbcPurgerContract {
    MariaDbEventPurgerIT() {
        super(EmbeddedMariaDb::shared, new MariaDbOutboxStore("billing.outbox_messages"));
    }
}
