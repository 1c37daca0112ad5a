package outbox.jdbc.payload;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedPostgres;

class PostgresClaimCheckIT extends ClaimCheckContract {
    @Override
    DatabaseServer server() {
        return EmbeddedPostgres.shared();
    }
}
