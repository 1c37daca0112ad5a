package outbox.domain.publish;

import java.util.List;
import java.util.Objects;
import outbox.OutboxWriter;
import outbox.domain.DomainEventContext;
import outbox.domain.DomainEventPublisher;
import outbox.domain.type.EventEnvelopes;
import outbox.spi.TxContext;

/**
 * Writes events to the outbox in the caller's transaction: they exist if and only if it commits. Thread-safe.
 *
 * <p>Publishing without a transaction throws {@link IllegalStateException} and stores nothing.
 */
public final class TransactionalEventPublisher implements DomainEventPublisher {
    private final OutboxWriter writer;
    private final TxContext txContext;
    private final EventEnvelopes envelopes;

    /** @param txContext the transaction context of the writer */
    public TransactionalEventPublisher(OutboxWriter writer, TxContext txContext, EventEnvelopes envelopes) {
        this.writer = Objects.requireNonNull(writer, "writer");
        this.txContext = Objects.requireNonNull(txContext, "txContext");
        this.envelopes = Objects.requireNonNull(envelopes, "envelopes");
    }

    @Override
    public void publishAll(List<?> events, DomainEventContext context) {
        writer.writeAll(envelopes.envelopes(events, context));
    }

    @Override
    public boolean isInTransaction() {
        return txContext.isTransactionActive();
    }
}
