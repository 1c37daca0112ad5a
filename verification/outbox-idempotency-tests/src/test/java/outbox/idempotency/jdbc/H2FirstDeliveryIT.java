package outbox.idempotency.jdbc;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedH2;

class H2FirstDeliveryIT extends FirstDeliveryContract {
    @Override
    DatabaseServer server() {
        return EmbeddedH2.shared();
    }
}
