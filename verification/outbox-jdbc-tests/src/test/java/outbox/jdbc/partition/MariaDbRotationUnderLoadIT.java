package outbox.jdbc.partition;

import outbox.jdbc.store.MariaDbOutboxStore;
import outbox.testing.server.EmbeddedMariaDb;

class MariaDbRotationUnderLoadIT extends RotationUnderLoadContract {
    MariaDbRotationUnderLoadIT() {
        super(EmbeddedMariaDb::shared, new MariaDbOutboxStore());
    }
}
