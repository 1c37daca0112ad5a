package outbox.idempotency;

import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.domain.DomainEvent;

/**
 * The result of the work and its events.
 *
 * @param value what the caller gets
 * @param events published in the same transaction
 */
public record CreateWorkWithEventsResult<T extends @Nullable Object>(T value, List<DomainEvent> events) {}
