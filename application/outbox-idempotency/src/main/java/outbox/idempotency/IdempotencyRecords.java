package outbox.idempotency;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Stores idempotency keys. Implementations are thread-safe. */
public interface IdempotencyRecords {
    /** Result of claiming a key. */
    sealed interface Claim {
        /**
         * The caller owns the key, does the work and reports how it ended.
         *
         * @param owner to be passed with every report
         */
        record Granted(String owner, Ulid128 internalId, String publicId) implements Claim {}

        /** The work was done before. */
        record Succeeded(
                Ulid128 internalId,
                String publicId,
                @Nullable String resultJson) implements Claim {}

        /** Another caller is doing the work. */
        record InProgress() implements Claim {}

        /** The key was used for another request. */
        record Conflict() implements Claim {}
    }

    /**
     * Claims a key, in a short separate transaction.
     *
     * @param proposed the ids to use if there are none from an earlier attempt
     * @param lease how long the claim lasts if the caller does not report back
     */
    Claim claim(
            IdempotencyKey key, String requestHash, CreateWork.NewId proposed, Duration lease, Duration expiresAfter);

    /**
     * Called before the work, in its transaction: locks the key for the duration of the transaction, regardless of the
     * lease.
     *
     * @return {@code false} if the caller no longer owns the key
     */
    boolean hold(IdempotencyKey key, String owner);

    /**
     * Called while work runs without a transaction that holds the key, in a separate transaction.
     *
     * @param lease how long the claim lasts from now on
     * @return {@code false} if the caller no longer owns the key
     */
    boolean renew(IdempotencyKey key, String owner, Duration lease);

    /** Called after the work, in its transaction. */
    void succeeded(IdempotencyKey key, String owner, @Nullable String resultJson, Duration expiresAfter);

    /** Called after the rollback, in a separate transaction: the key can be tried again. */
    void failed(IdempotencyKey key, String owner, String error);
}
