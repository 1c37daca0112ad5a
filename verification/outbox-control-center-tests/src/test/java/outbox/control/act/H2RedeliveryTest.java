package outbox.control.act;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedH2;

class H2RedeliveryTest extends RedeliveryContract {
    @Override
    DatabaseServer server() {
        return EmbeddedH2.shared();
    }
}
