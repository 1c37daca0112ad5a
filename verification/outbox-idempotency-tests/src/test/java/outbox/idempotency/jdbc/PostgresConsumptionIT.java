package outbox.idempotency.jdbc;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedPostgres;

class PostgresConsumptionIT extends JdbcConsumptionContract {
    @Override
    DatabaseServer server() {
        return EmbeddedPostgres.shared();
    }
}
