package outbox.domain.type;

import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * Converts the payload of an old version to the next one, so that current handlers can read old rows. Rows are not
 * rewritten. The serializers in {@code outbox.domain.jackson} create upcasters that work on a JSON tree.
 *
 * @param eventType the stable name
 * @param fromVersion the version it reads; it writes the next one
 * @param change payload in, payload out; must not depend on anything else
 */
public record Upcaster(String eventType, int fromVersion, UnaryOperator<String> change) {
    public Upcaster {
        Objects.requireNonNull(eventType, "eventType");
        Objects.requireNonNull(change, "change");
        if (fromVersion < 1) {
            throw new IllegalArgumentException("versions start at 1, not " + fromVersion);
        }
    }

    public static Upcaster of(String eventType, int fromVersion, UnaryOperator<String> change) {
        return new Upcaster(eventType, fromVersion, change);
    }
}
