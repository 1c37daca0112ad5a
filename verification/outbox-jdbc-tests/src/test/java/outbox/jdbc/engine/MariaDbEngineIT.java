package outbox.jdbc.engine;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMariaDb;

class MariaDbEngineIT extends EngineContract {
    @Override
    DatabaseServer server() {
        return EmbeddedMariaDb.shared();
    }
}
