package outbox.domain.type;

import java.util.Map;
import outbox.EventEnvelope;
import outbox.PayloadHeaders;

/**
 * Converts events of some classes to bytes and back, instead of JSON: Avro and Protocol Buffers, for instance. Add it with
 * {@link PayloadSerializer#with}. The version of an event still counts: a newer one waits for a node that knows it. Older
 * ones are read by the rules of the format; upcasters are for JSON. Thread-safe.
 */
public interface PayloadFormat {
    /** The media type without parameters, in lower case. It is stored in the header {@link PayloadHeaders#CONTENT_TYPE}. */
    String contentType();

    /** Whether events of this class are written in this format. */
    boolean supports(Class<?> type);

    /** @throws RuntimeException if the event cannot be written; the message names its class */
    Encoded encode(Object event, String eventType);

    /**
     * @throws UnreadableEventException if the payload does not match the class, or its schema is not known
     * @throws outbox.NotAttemptedException if that cannot be decided at the moment
     */
    <T> T decode(EventEnvelope event, Class<T> type);

    /** What is stored: the payload, and headers that {@link #decode} needs besides the content type. */
    final class Encoded {
        private final byte[] bytes;
        private final Map<String, String> headers;

        public Encoded(byte[] bytes, Map<String, String> headers) {
            this.bytes = bytes.clone();
            this.headers = Map.copyOf(headers);
        }

        public byte[] bytes() {
            return bytes.clone();
        }

        public Map<String, String> headers() {
            return headers;
        }
    }
}
