package outbox.idempotency;

import java.sql.Connection;
import java.sql.SQLException;
import outbox.domain.handler.EventConsumptionTracker;
import outbox.domain.handler.InMemoryConsumptionTracker;
import outbox.testing.InMemoryOutboxStore;

class InMemoryConsumptionTrackerTest extends EventConsumptionTrackerContract {
    private final InMemoryConsumptionTracker tracker = new InMemoryConsumptionTracker();

    @Override
    protected EventConsumptionTracker tracker() {
        return tracker;
    }

    @Override
    protected void retryNow(String eventId) throws SQLException {
        InMemoryOutboxStore store = new InMemoryOutboxStore();
        try (Connection conn = store.connectionProvider().getConnection()) {
            tracker.retryNow(conn, eventId);
        }
    }
}
