package outbox.jdbc.engine;

import outbox.jdbc.store.MariaDbOutboxStore;
import outbox.testing.server.EmbeddedMariaDb;

class MariaDbDeadLetterListenerIT extends DeadLetterListenerContract {
    MariaDbDeadLetterListenerIT() {
        super(EmbeddedMariaDb::shared, new MariaDbOutboxStore());
    }
}
