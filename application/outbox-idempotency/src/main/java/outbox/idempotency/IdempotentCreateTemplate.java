package outbox.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * Creates something once per idempotency key, however often and from wherever it is asked for. Thread-safe.
 *
 * <ul>
 *   <li>The work, the record of the key and the events are one transaction.
 *   <li>The same key again returns the first result; the work does not run.
 *   <li>Another request under the same key is refused: {@link IdempotencyConflictException}.
 *   <li>While the first one is under way a second one waits, as long as it likes, and then gets
 *       {@link CreateInProgressException}.
 *   <li>A failure is recorded and thrown; the key may be tried again, with the same request.
 * </ul>
 */
public interface IdempotentCreateTemplate {
    <T extends @Nullable Object> IdempotentCreateResult<T> create(CreateRequest<T> request, CreateWork<T> work);

    <T extends @Nullable Object> IdempotentCreateResult<T> create(
            CreateRequest<T> request, CreateWorkWithEvents<T> work);
}
