package outbox.inbox;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedH2;

class H2InboxTest extends InboxContract {
    @Override
    DatabaseServer server() {
        return EmbeddedH2.shared();
    }
}
