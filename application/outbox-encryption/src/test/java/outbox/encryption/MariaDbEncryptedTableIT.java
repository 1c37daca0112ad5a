package outbox.encryption;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMariaDb;

class MariaDbEncryptedTableIT extends EncryptedTableContract {
    @Override
    DatabaseServer server() {
        return EmbeddedMariaDb.shared();
    }
}
