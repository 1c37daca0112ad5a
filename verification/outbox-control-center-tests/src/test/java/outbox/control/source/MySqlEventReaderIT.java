package outbox.control.source;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMySql;

class MySqlEventReaderIT extends EventReaderContract {
    @Override
    DatabaseServer server() {
        return EmbeddedMySql.shared();
    }
}
