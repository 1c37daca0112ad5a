package outbox.idempotency;

import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.domain.DomainEvent;

/**
 * Creates something and returns its events, in the transaction of the template: the change, the idempotency record and
 * the events are committed together.
 *
 * @param <T> what the caller gets
 */
@FunctionalInterface
public interface CreateWorkWithEvents<T extends @Nullable Object> {
    /**
     * @param internalId the primary key of the new entity
     * @param publicId its id for external use
     */
    CreateWorkWithEventsResult<T> create(Ulid128 internalId, String publicId) throws Exception;

    static <T extends @Nullable Object> CreateWorkWithEventsResult<T> result(
            T value, List<? extends DomainEvent> events) {
        return new CreateWorkWithEventsResult<>(value, List.copyOf(events));
    }
}
