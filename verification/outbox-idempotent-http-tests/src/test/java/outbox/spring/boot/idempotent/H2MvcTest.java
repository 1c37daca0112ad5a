package outbox.spring.boot.idempotent;

import outbox.testing.server.EmbeddedH2;
import outbox.testing.server.TestDatabase;

class H2MvcTest extends MvcContract {
    @Override
    TestDatabase database() {
        return EmbeddedH2.shared().freshDatabase();
    }
}
