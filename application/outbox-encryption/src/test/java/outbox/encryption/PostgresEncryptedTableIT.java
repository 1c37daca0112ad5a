package outbox.encryption;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedPostgres;

class PostgresEncryptedTableIT extends EncryptedTableContract {
    @Override
    DatabaseServer server() {
        return EmbeddedPostgres.shared();
    }
}
