package outbox.jdbc.purge;

import outbox.jdbc.store.H2OutboxStore;
import outbox.testing.server.EmbeddedH2;

class H2ArchivingPurgerTest extends ArchivingPurgerContract {
    H2ArchivingPurgerTest() {
        super(EmbeddedH2::shared, new H2OutboxStore());
    }
}
