package outbox.jdbc.payload;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMariaDb;

class MariaDbClaimCheckIT extends ClaimCheckContract {
    @Override
    DatabaseServer server() {
        return EmbeddedMariaDb.shared();
    }
}
