package outbox.cli;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedPostgres;

class PostgresCommandsTest extends DatabaseCommandsContract {
    @Override
    DatabaseServer server() {
        return EmbeddedPostgres.shared();
    }

    @Override
    String dropClaimIndex() {
        return "DROP INDEX outbox_event_pending";
    }
}
