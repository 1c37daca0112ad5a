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
     * @param id the ids for the new entity
     * @return the result; a repeated request returns an equal one without calling this
     */
    T create(NewId id) throws Exception;

    /**
     * The ids for the new entity; a second attempt with the same key gets the same ids.
     *
     * @param internalId the primary key
     * @param publicId the id for external use
     */
    record NewId(Ulid128 internalId, String publicId) {}
}
