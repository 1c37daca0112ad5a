package outbox.control.act;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedPostgres;

class PostgresEventActionsTest extends EventActionsContract {
    @Override
    DatabaseServer server() {
        return EmbeddedPostgres.shared();
    }
}
