package outbox.idempotency;

import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.domain.DomainEvent;

/**
 * Creates something and says what happened, in the transaction of the template: the change, the idempotency record and
 * the events are committed together.
 *
 * @param <T> what the caller gets
 */
@FunctionalInterface
public interface CreateWorkWithEvents<T extends @Nullable Object> {
    /**
     * @param internalId the primary key of what is to be created
     * @param publicId what the outside sees of it
     */
    CreateWorkWithEventsResult<T> create(Ulid128 internalId, String publicId) throws Exception;

    static <T extends @Nullable Object> CreateWorkWithEventsResult<T> result(
            T value, List<? extends DomainEvent> events) {
        return new CreateWorkWithEventsResult<>(value, List.copyOf(events));
    }
}
