package outbox.idempotency;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMySql;

class MySqlIdempotentCreateIT extends IdempotentCreateContract {
    @Override
    protected DatabaseServer server() {
        return EmbeddedMySql.shared();
    }
}
