package outbox.inbox;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedPostgres;

class PostgresInboxIT extends InboxContract {
    @Override
    DatabaseServer server() {
        return EmbeddedPostgres.shared();
    }
}
