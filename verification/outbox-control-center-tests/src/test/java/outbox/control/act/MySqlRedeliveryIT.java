package outbox.control.act;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMySql;

class MySqlRedeliveryIT extends RedeliveryContract {
    @Override
    DatabaseServer server() {
        return EmbeddedMySql.shared();
    }
}
