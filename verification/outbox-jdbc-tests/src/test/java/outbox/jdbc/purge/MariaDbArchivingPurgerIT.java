package outbox.jdbc.purge;

import outbox.jdbc.store.MariaDbOutboxStore;
import outbox.testing.server.EmbeddedMariaDb;

class MariaDbArchivingPurgerIT extends ArchivingPurgerContract {
    MariaDbArchivingPurgerIT() {
        super(EmbeddedMariaDb::shared, new MariaDbOutboxStore());
    }
}
