package outbox.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * The result of a creation, now or the first time.
 *
 * @param value the result of the work
 * @param replayed whether it is the result of an earlier call, and the work did not run now
 */
public record IdempotentCreateResult<T extends @Nullable Object>(
        T value, Ulid128 internalId, String publicId, boolean replayed) {}
