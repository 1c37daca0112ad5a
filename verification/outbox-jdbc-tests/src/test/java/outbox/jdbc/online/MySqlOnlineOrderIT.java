package outbox.jdbc.online;

import outbox.jdbc.store.MySqlOutboxStore;
import outbox.testing.server.EmbeddedMySql;

class MySqlOnlineOrderIT extends InnoDbOnlineOrderContract {
    MySqlOnlineOrderIT() {
        super(EmbeddedMySql::shared, new MySqlOutboxStore());
    }
}
