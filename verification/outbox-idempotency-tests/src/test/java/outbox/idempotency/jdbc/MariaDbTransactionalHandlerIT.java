package outbox.idempotency.jdbc;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMariaDb;

class MariaDbTransactionalHandlerIT extends TransactionalHandlerContract {
    @Override
    DatabaseServer server() {
        return EmbeddedMariaDb.shared();
    }
}
