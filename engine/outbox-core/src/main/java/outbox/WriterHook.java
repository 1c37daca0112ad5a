package outbox;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sees every batch an {@link OutboxWriter} writes: {@code beforeWrite} → insert → {@code afterWrite} → commit or
 * rollback → {@code afterCommit} or {@code afterRollback}.
 *
 * <p>{@code beforeWrite} may return other events; {@code null} or an empty list suppresses the write. What it throws
 * reaches the caller of the writer. What the {@code after} methods throw is logged and goes no further: the business
 * transaction is never broken by them.
 */
public interface WriterHook {
    /** Does nothing; what is written waits for the poller or for CDC. */
    WriterHook NOOP = new WriterHook() {};

    default @Nullable List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
        return events;
    }

    default void afterWrite(List<EventEnvelope> events) {}

    default void afterCommit(List<EventEnvelope> events) {}

    default void afterRollback(List<EventEnvelope> events) {}
}
