package outbox.jdbc.partition;

import outbox.jdbc.store.MySqlOutboxStore;
import outbox.testing.server.EmbeddedMySql;

class MySqlDailyPartitionsIT extends InnoDbDailyPartitionsContract {
    MySqlDailyPartitionsIT() {
        super(EmbeddedMySql::shared, new MySqlOutboxStore());
    }
}
