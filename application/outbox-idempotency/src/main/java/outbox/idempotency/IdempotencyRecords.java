package outbox.idempotency;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What is known of idempotency keys. Thread-safe. */
public interface IdempotencyRecords {
    /** What asking for a key brought. */
    sealed interface Claim {
        /**
         * The key is the caller's: he does the work and reports how it ended.
         *
         * @param owner to be given back with every report
         */
        record Granted(String owner, Ulid128 internalId, String publicId) implements Claim {}

        /** Somebody did it before. */
        record Succeeded(
                Ulid128 internalId,
                String publicId,
                @Nullable String resultJson) implements Claim {}

        /** Somebody else is doing it. */
        record InProgress() implements Claim {}

        /** The key was used for another request. */
        record Conflict() implements Claim {}
    }

    /**
     * Asks for a key, in a short transaction of its own.
     *
     * @param proposed the ids to take if there are none from an earlier attempt
     * @param lease how long the key stays the caller's if nothing more is heard of him
     */
    Claim claim(
            IdempotencyKey key, String requestHash, CreateWork.NewId proposed, Duration lease, Duration expiresAfter);

    /**
     * Before the work, in its transaction: holds the key as long as that lasts, whatever the lease says.
     *
     * @return {@code false} if the key is not the caller's any more
     */
    boolean hold(IdempotencyKey key, String owner);

    /** After the work, in its transaction. */
    void succeeded(IdempotencyKey key, String owner, @Nullable String resultJson, Duration expiresAfter);

    /** After the transaction was rolled back, in one of its own: the next one may try. */
    void failed(IdempotencyKey key, String owner, String error);
}
