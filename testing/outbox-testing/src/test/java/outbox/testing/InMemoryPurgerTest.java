package outbox.testing;

import java.sql.Connection;
import outbox.spi.ConnectionProvider;
import outbox.spi.RetentionPurger;

class InMemoryPurgerTest extends RetentionPurgerContract {
    private InMemoryOutboxStore store;

    @Override
    protected InMemoryOutboxStore openStore() {
        store = new InMemoryOutboxStore();
        return store;
    }

    @Override
    protected RetentionPurger purger() {
        return store.purger();
    }

    @Override
    protected ConnectionProvider connections() {
        return store.connectionProvider();
    }

    @Override
    protected StoredRow read(Connection conn, String eventId) {
        InMemoryRow row = store.row(eventId);
        return row == null ? null : StoredRow.of(row);
    }
}
