package outbox.encryption;

import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedH2;

class H2EncryptedTableTest extends EncryptedTableContract {
    @Override
    DatabaseServer server() {
        return EmbeddedH2.shared();
    }
}
