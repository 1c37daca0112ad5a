package outbox.domain.type;

/**
 * Converts objects to JSON text and back. {@code PayloadSerializers.detect()} selects an implementation by the
 * libraries on the class path. Thread-safe.
 */
public interface PayloadSerializer {
    /** @throws RuntimeException if the object cannot be written; the message names its class */
    String serialize(Object value);

    /** @throws RuntimeException if the text does not match the type; the message contains the type, never the text */
    <T> T deserialize(String json, Class<T> type);
}
