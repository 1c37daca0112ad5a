package outbox.control.act;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMySql;

class MySqlOperationsIT extends OperationsContract {
    @Override
    DatabaseServer server() {
        return EmbeddedMySql.shared();
    }
}
