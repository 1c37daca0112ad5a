package outbox.idempotency.jdbc;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMariaDb;

class MariaDbFirstDeliveryIT extends FirstDeliveryContract {
    @Override
    DatabaseServer server() {
        return EmbeddedMariaDb.shared();
    }
}
