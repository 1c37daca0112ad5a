package outbox.spring.boot.idempotent;

import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.TestDatabase;

class PostgresMvcIT extends MvcContract {
    @Override
    TestDatabase database() {
        return EmbeddedPostgres.shared().freshDatabase();
    }
}
