package outbox.idempotency;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedPostgres;

class PostgresIdempotentCreateIT extends IdempotentCreateContract {
    @Override
    protected DatabaseServer server() {
        return EmbeddedPostgres.shared();
    }
}
