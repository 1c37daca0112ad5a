package outbox.encryption;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMySql;

class MySqlEncryptedTableIT extends EncryptedTableContract {
    @Override
    DatabaseServer server() {
        return EmbeddedMySql.shared();
    }
}
