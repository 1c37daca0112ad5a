package outbox.jdbc.store;

import outbox.testing.server.EmbeddedH2;

class H2ElectionTest extends ElectionContract {
    H2ElectionTest() {
        super(EmbeddedH2::shared, new H2OutboxStore());
    }
}
