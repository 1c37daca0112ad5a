package outbox.inbox;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMySql;

class MySqlInboxIT extends InboxContract {
    @Override
    DatabaseServer server() {
        return EmbeddedMySql.shared();
    }
}
