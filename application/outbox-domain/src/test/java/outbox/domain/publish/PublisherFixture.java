package outbox.domain.publish;

import java.util.Map;
import outbox.OutboxWriter;
import outbox.domain.EventHeaders;
import outbox.domain.jackson.PayloadSerializers;
import outbox.domain.type.EventEnvelopes;
import outbox.domain.type.EventTypes;
import outbox.domain.type.PayloadSerializer;
import outbox.testing.InMemoryOutboxStore;
import outbox.testing.InMemoryTxContext;

/** A store in memory with a transactional publisher on it. */
class PublisherFixture {
    final InMemoryOutboxStore store = new InMemoryOutboxStore();
    final InMemoryTxContext tx = store.txContext();
    final PayloadSerializer serializer = PayloadSerializers.detect();
    final EventTypes types = EventTypes.builder().build();
    final EventEnvelopes envelopes = new EventEnvelopes(
            types,
            serializer,
            () -> Map.of(EventHeaders.TRACE_ID, "trace-1", EventHeaders.REQUEST_ID, "req-1", "tenantId", "by-source"));
    final TransactionalEventPublisher publisher =
            new TransactionalEventPublisher(new OutboxWriter(tx, store), tx, envelopes);
}
