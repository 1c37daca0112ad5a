package outbox.control.act;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMariaDb;

class MariaDbOperationsIT extends OperationsContract {
    @Override
    DatabaseServer server() {
        return EmbeddedMariaDb.shared();
    }
}
