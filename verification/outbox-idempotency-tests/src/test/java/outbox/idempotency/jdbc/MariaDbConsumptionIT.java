package outbox.idempotency.jdbc;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMariaDb;

class MariaDbConsumptionIT extends JdbcConsumptionContract {
    @Override
    DatabaseServer server() {
        return EmbeddedMariaDb.shared();
    }
}
