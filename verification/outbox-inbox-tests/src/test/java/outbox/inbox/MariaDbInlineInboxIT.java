package outbox.inbox;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMariaDb;

class MariaDbInlineInboxIT extends InlineInboxContract {
    @Override
    DatabaseServer server() {
        return EmbeddedMariaDb.shared();
    }
}
