package outbox.control.act;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedPostgres;

class PostgresOperationsTest extends OperationsContract {
    @Override
    DatabaseServer server() {
        return EmbeddedPostgres.shared();
    }
}
