package outbox.domain.type;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Converts objects to JSON text and back. {@code PayloadSerializers.detect()} selects an implementation by the
 * libraries on the class path. Thread-safe.
 */
public interface PayloadSerializer {
    /** @throws RuntimeException if the object cannot be written; the message names its class */
    String serialize(Object value);

    /** @throws RuntimeException if the text does not match the type; the message contains the type, never the text */
    <T> T deserialize(String json, Class<T> type);

    /** Formats for classes that are not written as JSON. */
    default List<PayloadFormat> formats() {
        return List.of();
    }

    /**
     * This serializer, with formats for events of some classes; the first that supports a class is used.
     *
     * @throws IllegalArgumentException if two formats have the same content type
     */
    default PayloadSerializer with(PayloadFormat... formats) {
        List<PayloadFormat> all = new ArrayList<>(formats());
        all.addAll(List.of(formats));
        Set<String> contentTypes = new HashSet<>();
        for (PayloadFormat format : all) {
            if (!contentTypes.add(format.contentType())) {
                throw new IllegalArgumentException(
                        "there are two formats for " + format.contentType() + ": rows could not say which one to use");
            }
        }
        PayloadSerializer json = this;
        return new PayloadSerializer() {
            @Override
            public String serialize(Object value) {
                return json.serialize(value);
            }

            @Override
            public <T> T deserialize(String text, Class<T> type) {
                return json.deserialize(text, type);
            }

            @Override
            public List<PayloadFormat> formats() {
                return List.copyOf(all);
            }
        };
    }
}
