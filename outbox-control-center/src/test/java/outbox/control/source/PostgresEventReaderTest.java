package outbox.control.source;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedPostgres;

class PostgresEventReaderTest extends EventReaderContract {
    @Override
    DatabaseServer server() {
        return EmbeddedPostgres.shared();
    }
}
