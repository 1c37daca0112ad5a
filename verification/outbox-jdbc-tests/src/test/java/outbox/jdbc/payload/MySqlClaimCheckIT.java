package outbox.jdbc.payload;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMySql;

class MySqlClaimCheckIT extends ClaimCheckContract {
    @Override
    DatabaseServer server() {
        return EmbeddedMySql.shared();
    }
}
