package outbox.spring.boot.idempotent;

import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.TestDatabase;

class PostgresWebFluxIT extends WebFluxContract {
    @Override
    TestDatabase database() {
        return EmbeddedPostgres.shared().freshDatabase();
    }
}
