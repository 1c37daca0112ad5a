package outbox.jdbc.engine;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMySql;

class MySqlEngineIT extends EngineContract {
    @Override
    DatabaseServer server() {
        return EmbeddedMySql.shared();
    }
}
