package outbox.domain.type;

/**
 * A schema registry, as formats see it. Implementations are thread-safe; callers keep what they are told.
 */
public interface SchemaIds {
    /**
     * The id of a schema, which is registered if it is new.
     *
     * @param eventType the type of the event that is written, for the name of the subject
     * @throws RuntimeException if there is none; nothing is written then
     */
    int idOf(String eventType, String schema);

    /**
     * The text of a schema.
     *
     * @throws UnreadableEventException if there is no such id: the event is dead
     * @throws outbox.NotAttemptedException if the registry cannot be reached: the event waits in the table
     */
    String schemaOf(int id);
}
