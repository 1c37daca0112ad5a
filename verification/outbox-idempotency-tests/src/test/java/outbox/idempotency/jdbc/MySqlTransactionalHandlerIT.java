package outbox.idempotency.jdbc;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMySql;

class MySqlTransactionalHandlerIT extends TransactionalHandlerContract {
    @Override
    DatabaseServer server() {
        return EmbeddedMySql.shared();
    }
}
