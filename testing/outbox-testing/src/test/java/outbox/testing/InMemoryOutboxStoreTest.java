package outbox.testing;

import java.sql.Connection;
import outbox.model.OutboxEvent;
import outbox.spi.ConnectionProvider;

class InMemoryOutboxStoreTest extends LeasingOutboxStoreContract {
    private InMemoryOutboxStore store = new InMemoryOutboxStore();

    @Override
    protected InMemoryOutboxStore openStore() {
        store = new InMemoryOutboxStore();
        return store;
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

    @Override
    protected void writeHeaders(Connection conn, String eventId, String json) {
        InMemoryRow row = store.row(eventId);
        OutboxEvent event = row.event();
        store.put(new InMemoryRow(
                new OutboxEvent(
                        event.eventId(),
                        event.eventType(),
                        event.aggregateType(),
                        event.aggregateId(),
                        event.tenantId(),
                        event.payloadJson(),
                        json,
                        event.attempts(),
                        event.createdAt()),
                row.status(),
                row.availableAt(),
                row.doneAt(),
                row.lastError(),
                row.lockedBy(),
                row.lockedAt()));
    }
}
