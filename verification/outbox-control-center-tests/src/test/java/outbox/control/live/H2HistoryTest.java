package outbox.control.live;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedH2;

class H2HistoryTest extends HistoryContract {
    @Override
    DatabaseServer server() {
        return EmbeddedH2.shared();
    }
}
