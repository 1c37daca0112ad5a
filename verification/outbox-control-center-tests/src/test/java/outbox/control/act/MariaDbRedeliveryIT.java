package outbox.control.act;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMariaDb;

class MariaDbRedeliveryIT extends RedeliveryContract {
    @Override
    DatabaseServer server() {
        return EmbeddedMariaDb.shared();
    }
}
