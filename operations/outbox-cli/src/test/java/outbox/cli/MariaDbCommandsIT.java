package outbox.cli;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMariaDb;

class MariaDbCommandsIT extends DatabaseCommandsContract {
    @Override
    DatabaseServer server() {
        return EmbeddedMariaDb.shared();
    }

    @Override
    String dropClaimIndex() {
        return "DROP INDEX outbox_event_due ON outbox_event";
    }
}
