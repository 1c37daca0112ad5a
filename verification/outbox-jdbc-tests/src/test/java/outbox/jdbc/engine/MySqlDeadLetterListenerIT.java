package outbox.jdbc.engine;

import outbox.jdbc.store.MySqlOutboxStore;
import outbox.testing.server.EmbeddedMySql;

class MySqlDeadLetterListenerIT extends DeadLetterListenerContract {
    MySqlDeadLetterListenerIT() {
        super(EmbeddedMySql::shared, new MySqlOutboxStore());
    }
}
