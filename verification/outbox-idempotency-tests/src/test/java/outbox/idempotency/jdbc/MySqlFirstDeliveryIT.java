package outbox.idempotency.jdbc;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMySql;

class MySqlFirstDeliveryIT extends FirstDeliveryContract {
    @Override
    DatabaseServer server() {
        return EmbeddedMySql.shared();
    }
}
