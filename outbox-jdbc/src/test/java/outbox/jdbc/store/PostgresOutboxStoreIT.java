package outbox.jdbc.store;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedPostgres;

class PostgresOutboxStoreIT extends JdbcStoreContract {
    PostgresOutboxStoreIT() {
        super(new PostgresOutboxStore());
    }

    @Override
    DatabaseServer server() {
        return EmbeddedPostgres.shared();
    }

    @Override
    String jsonParameter() {
        return "?::jsonb";
    }
}
