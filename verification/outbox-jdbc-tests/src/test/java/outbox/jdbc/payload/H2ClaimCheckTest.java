package outbox.jdbc.payload;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedH2;

class H2ClaimCheckTest extends ClaimCheckContract {
    @Override
    DatabaseServer server() {
        return EmbeddedH2.shared();
    }
}
