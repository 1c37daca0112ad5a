package outbox.jdbc.partition;

import outbox.jdbc.store.PostgresOutboxStore;
import outbox.testing.server.EmbeddedPostgres;

class PostgresRotationUnderLoadIT extends RotationUnderLoadContract {
    PostgresRotationUnderLoadIT() {
        super(EmbeddedPostgres::shared, new PostgresOutboxStore());
    }
}
