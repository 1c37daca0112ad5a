package outbox.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * Creates something, in the transaction of the template.
 *
 * @param <T> what the caller gets
 */
@FunctionalInterface
public interface CreateWork<T extends @Nullable Object> {
    /**
     * @param id the ids of what is to be created
     * @return the result; the same key again returns an equal one without calling this
     */
    T create(NewId id) throws Exception;

    /**
     * The ids of what is to be created; a second attempt under the same key gets the same.
     *
     * @param internalId the primary key
     * @param publicId what the outside sees
     */
    record NewId(Ulid128 internalId, String publicId) {}
}
