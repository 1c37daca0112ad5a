package outbox.control.source;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedH2;

class H2EventReaderTest extends EventReaderContract {
    @Override
    DatabaseServer server() {
        return EmbeddedH2.shared();
    }
}
