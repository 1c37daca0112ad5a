package outbox.jdbc.engine;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedH2;

class H2EngineIT extends EngineContract {
    @Override
    DatabaseServer server() {
        return EmbeddedH2.shared();
    }
}
