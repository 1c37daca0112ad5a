package outbox.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * Creates something once per idempotency key, however often it is requested. Thread-safe.
 *
 * <ul>
 *   <li>The work, the record of the key and the events are one transaction.
 *   <li>A repeated request returns the first result; the work does not run.
 *   <li>Another request with the same key is rejected: {@link IdempotencyConflictException}.
 *   <li>While the first request is in progress, a second one waits up to its limit, and then fails with {@link
 *       CreateInProgressException}.
 *   <li>A failure is recorded and thrown; the same request can be tried again.
 * </ul>
 */
public interface IdempotentCreateTemplate {
    <T extends @Nullable Object> IdempotentCreateResult<T> create(CreateRequest<T> request, CreateWork<T> work);

    <T extends @Nullable Object> IdempotentCreateResult<T> create(
            CreateRequest<T> request, CreateWorkWithEvents<T> work);
}
