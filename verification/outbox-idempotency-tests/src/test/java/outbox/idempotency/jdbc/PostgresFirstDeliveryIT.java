package outbox.idempotency.jdbc;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedPostgres;

class PostgresFirstDeliveryIT extends FirstDeliveryContract {
    @Override
    DatabaseServer server() {
        return EmbeddedPostgres.shared();
    }
}
