package outbox.jdbc.partition;

import outbox.jdbc.store.MariaDbOutboxStore;
import outbox.testing.server.EmbeddedMariaDb;

class MariaDbDailyPartitionsIT extends InnoDbDailyPartitionsContract {
    MariaDbDailyPartitionsIT() {
        super(EmbeddedMariaDb::shared, new MariaDbOutboxStore());
    }
}
