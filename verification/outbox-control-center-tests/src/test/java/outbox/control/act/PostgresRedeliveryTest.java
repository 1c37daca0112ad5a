package outbox.control.act;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedPostgres;

class PostgresRedeliveryTest extends RedeliveryContract {
    @Override
    DatabaseServer server() {
        return EmbeddedPostgres.shared();
    }
}
