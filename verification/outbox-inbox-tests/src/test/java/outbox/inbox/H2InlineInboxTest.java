package outbox.inbox;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedH2;

class H2InlineInboxTest extends InlineInboxContract {
    @Override
    DatabaseServer server() {
        return EmbeddedH2.shared();
    }
}
