package outbox.domain.type;

/**
 * Objects to JSON text and back. {@code PayloadSerializers.detect()} finds the one that fits the libraries the
 * application has. Thread-safe.
 */
public interface PayloadSerializer {
    /** @throws RuntimeException if the object cannot be written; the message names its class */
    String serialize(Object value);

    /** @throws RuntimeException if the text does not fit the type; the message names the type, never the text */
    <T> T deserialize(String json, Class<T> type);
}
