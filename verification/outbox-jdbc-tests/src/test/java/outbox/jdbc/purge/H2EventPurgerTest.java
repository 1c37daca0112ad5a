package outbox.jdbc.purge;

import outbox.jdbc.store.H2OutboxStore;
import outbox.testing.server.EmbeddedH2;

class H2EventPurgerTest extends JdbcPurgerContract {
    H2EventPurgerTest() {
        super(EmbeddedH2::shared, new H2OutboxStore("billing.outbox_messages"));
    }
}
