package outbox.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * What a creation returned, now or the first time.
 *
 * @param value the result of the work
 * @param replayed whether it is that of an earlier call, and the work did not run now
 */
public record IdempotentCreateResult<T extends @Nullable Object>(
        T value, Ulid128 internalId, String publicId, boolean replayed) {}
