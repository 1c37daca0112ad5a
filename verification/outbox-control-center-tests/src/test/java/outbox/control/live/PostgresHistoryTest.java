package outbox.control.live;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedPostgres;

class PostgresHistoryTest extends HistoryContract {
    @Override
    DatabaseServer server() {
        return EmbeddedPostgres.shared();
    }
}
