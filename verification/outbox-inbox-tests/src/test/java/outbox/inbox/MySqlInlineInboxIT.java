package outbox.inbox;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMySql;

class MySqlInlineInboxIT extends InlineInboxContract {
    @Override
    DatabaseServer server() {
        return EmbeddedMySql.shared();
    }
}
