package outbox.jdbc.engine;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMySql;

class MySqlRefusedOutcomeIT extends InnoDbRefusedOutcomes {
    @Override
    DatabaseServer server() {
        return EmbeddedMySql.shared();
    }
}
