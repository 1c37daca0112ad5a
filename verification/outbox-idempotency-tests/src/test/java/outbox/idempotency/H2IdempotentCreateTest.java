package outbox.idempotency;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedH2;

class H2IdempotentCreateTest extends IdempotentCreateContract {
    @Override
    protected DatabaseServer server() {
        return EmbeddedH2.shared();
    }
}
