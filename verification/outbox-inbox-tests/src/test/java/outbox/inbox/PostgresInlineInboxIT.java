package outbox.inbox;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedPostgres;

class PostgresInlineInboxIT extends InlineInboxContract {
    @Override
    DatabaseServer server() {
        return EmbeddedPostgres.shared();
    }
}
