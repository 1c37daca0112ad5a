package outbox.jdbc.partition;

import outbox.jdbc.store.MySqlOutboxStore;
import outbox.testing.server.EmbeddedMySql;

class MySqlRotationUnderLoadIT extends RotationUnderLoadContract {
    MySqlRotationUnderLoadIT() {
        super(EmbeddedMySql::shared, new MySqlOutboxStore());
    }
}
