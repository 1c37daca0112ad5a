package outbox.inbox;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMariaDb;

class MariaDbInboxIT extends InboxContract {
    @Override
    DatabaseServer server() {
        return EmbeddedMariaDb.shared();
    }
}
