package outbox.jdbc.purge;

import outbox.jdbc.store.MySqlOutboxStore;
import outbox.testing.server.EmbeddedMySql;

class MySqlEventPurgerIT extends JdbcPurgerContract {
    MySqlEventPurgerIT() {
        super(EmbeddedMySql::shared, new MySqlOutboxStore("billing.outbox_messages"));
    }
}
