package outbox.control.live;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMySql;

class MySqlHistoryIT extends HistoryContract {
    @Override
    DatabaseServer server() {
        return EmbeddedMySql.shared();
    }
}
