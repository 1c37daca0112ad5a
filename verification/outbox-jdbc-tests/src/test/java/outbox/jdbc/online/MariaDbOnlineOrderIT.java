package outbox.jdbc.online;

import outbox.jdbc.store.MariaDbOutboxStore;
import outbox.testing.server.EmbeddedMariaDb;

class MariaDbOnlineOrderIT extends InnoDbOnlineOrderContract {
    MariaDbOnlineOrderIT() {
        super(EmbeddedMariaDb::shared, new MariaDbOutboxStore());
    }
}
