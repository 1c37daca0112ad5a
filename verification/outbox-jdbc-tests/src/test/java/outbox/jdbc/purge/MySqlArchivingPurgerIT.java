package outbox.jdbc.purge;

import outbox.jdbc.store.MySqlOutboxStore;
import outbox.testing.server.EmbeddedMySql;

class MySqlArchivingPurgerIT extends ArchivingPurgerContract {
    MySqlArchivingPurgerIT() {
        super(EmbeddedMySql::shared, new MySqlOutboxStore());
    }
}
