package outbox.cli;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMySql;

class MySqlCommandsIT extends DatabaseCommandsContract {
    @Override
    DatabaseServer server() {
        return EmbeddedMySql.shared();
    }

    @Override
    String dropClaimIndex() {
        return "DROP INDEX outbox_event_due ON outbox_event";
    }
}
