package outbox.idempotency;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMariaDb;

class MariaDbIdempotentCreateIT extends IdempotentCreateContract {
    @Override
    protected DatabaseServer server() {
        return EmbeddedMariaDb.shared();
    }
}
