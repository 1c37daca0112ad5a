package outbox.idempotency.jdbc;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedH2;

class H2ConsumptionTest extends JdbcConsumptionContract {
    @Override
    DatabaseServer server() {
        return EmbeddedH2.shared();
    }
}
