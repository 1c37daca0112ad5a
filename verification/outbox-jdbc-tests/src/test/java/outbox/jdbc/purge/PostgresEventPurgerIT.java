package outbox.jdbc.purge;

import outbox.jdbc.store.PostgresOutboxStore;
import outbox.testing.server.EmbeddedPostgres;

class PostgresEventPurgerIT extends JdbcPurgerContract {
    PostgresEventPurgerIT() {
        super(EmbeddedPostgres::shared, new PostgresOutboxStore("billing.outbox_messages"));
    }
}
