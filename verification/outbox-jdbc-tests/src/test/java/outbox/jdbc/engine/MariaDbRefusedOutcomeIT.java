package outbox.jdbc.engine;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMariaDb;

class MariaDbRefusedOutcomeIT extends InnoDbRefusedOutcomes {
    @Override
    DatabaseServer server() {
        return EmbeddedMariaDb.shared();
    }
}
