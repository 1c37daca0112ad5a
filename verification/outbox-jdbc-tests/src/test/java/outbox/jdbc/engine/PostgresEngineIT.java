package outbox.jdbc.engine;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedPostgres;

class PostgresEngineIT extends EngineContract {
    @Override
    DatabaseServer server() {
        return EmbeddedPostgres.shared();
    }

    @Override
    int orderedEvents() {
        return 20_000;
    }
}
