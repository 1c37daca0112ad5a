package outbox.jdbc.engine;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMariaDb;

class MariaDbEngineIT extends EngineContract {
    @Override
    DatabaseServer server() {
        return EmbeddedMariaDb.shared();
    }

    /** Ordered claims on MariaDB are right, but much slower than elsewhere so far. */
    @Override
    int orderedEvents() {
        return 2_000;
    }
}
