package outbox.cli;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedH2;

class H2CommandsTest extends DatabaseCommandsContract {
    @Override
    DatabaseServer server() {
        return EmbeddedH2.shared();
    }

    @Override
    String dropClaimIndex() {
        return "DROP INDEX outbox_event_due";
    }
}
