package outbox.jdbc.purge;

import outbox.jdbc.store.PostgresOutboxStore;
import outbox.testing.server.EmbeddedPostgres;

class PostgresArchivingPurgerIT extends ArchivingPurgerContract {
    PostgresArchivingPurgerIT() {
        super(EmbeddedPostgres::shared, new PostgresOutboxStore());
    }
}
