package outbox.jdbc.engine;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedH2;

class H2EngineIT extends EngineContract {
    @Override
    DatabaseServer server() {
        return EmbeddedH2.shared();
    }

    /** H2 locks all rows it looks at before it skips one: right, but slow. */
    @Override
    int orderedEvents() {
        return 2_000;
    }
}
