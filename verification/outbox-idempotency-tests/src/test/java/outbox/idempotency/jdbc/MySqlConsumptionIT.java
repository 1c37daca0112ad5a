package outbox.idempotency.jdbc;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMySql;

class MySqlConsumptionIT extends JdbcConsumptionContract {
    @Override
    DatabaseServer server() {
        return EmbeddedMySql.shared();
    }
}
