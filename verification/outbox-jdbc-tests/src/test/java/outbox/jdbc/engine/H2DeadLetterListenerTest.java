package outbox.jdbc.engine;

import outbox.jdbc.store.H2OutboxStore;
import outbox.testing.server.EmbeddedH2;

class H2DeadLetterListenerTest extends DeadLetterListenerContract {
    H2DeadLetterListenerTest() {
        super(EmbeddedH2::shared, new H2OutboxStore());
    }
}
