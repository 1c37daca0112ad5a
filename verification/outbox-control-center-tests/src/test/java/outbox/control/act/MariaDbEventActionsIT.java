package outbox.control.act;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMariaDb;

class MariaDbEventActionsIT extends EventActionsContract {
    @Override
    DatabaseServer server() {
        return EmbeddedMariaDb.shared();
    }
}
