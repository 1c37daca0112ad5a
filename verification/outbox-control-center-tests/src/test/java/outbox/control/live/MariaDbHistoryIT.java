package outbox.control.live;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMariaDb;

class MariaDbHistoryIT extends HistoryContract {
    @Override
    DatabaseServer server() {
        return EmbeddedMariaDb.shared();
    }
}
