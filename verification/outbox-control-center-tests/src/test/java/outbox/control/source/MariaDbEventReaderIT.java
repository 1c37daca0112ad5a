package outbox.control.source;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMariaDb;

class MariaDbEventReaderIT extends EventReaderContract {
    @Override
    DatabaseServer server() {
        return EmbeddedMariaDb.shared();
    }
}
