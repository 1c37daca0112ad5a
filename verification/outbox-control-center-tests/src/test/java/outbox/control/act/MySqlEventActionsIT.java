package outbox.control.act;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMySql;

class MySqlEventActionsIT extends EventActionsContract {
    @Override
    DatabaseServer server() {
        return EmbeddedMySql.shared();
    }
}
