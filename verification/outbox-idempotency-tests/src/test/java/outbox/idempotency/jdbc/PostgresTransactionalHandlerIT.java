package outbox.idempotency.jdbc;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedPostgres;

class PostgresTransactionalHandlerIT extends TransactionalHandlerContract {
    @Override
    DatabaseServer server() {
        return EmbeddedPostgres.shared();
    }
}
