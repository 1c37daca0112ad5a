package outbox.domain.type;

import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * Brings the payload of an old version to the next one, so that today's handlers read yesterday's rows. Rows are never
 * rewritten. The serializers in {@code outbox.domain.jackson} make upcasters that work on a JSON tree.
 *
 * @param eventType the stable name
 * @param fromVersion the version it reads; it writes the one after
 * @param change payload in, payload out; must not depend on anything else
 */
public record Upcaster(String eventType, int fromVersion, UnaryOperator<String> change) {
    public Upcaster {
        Objects.requireNonNull(eventType, "eventType");
        Objects.requireNonNull(change, "change");
        if (fromVersion < 1) {
            throw new IllegalArgumentException("versions begin with 1, not with " + fromVersion);
        }
    }

    public static Upcaster of(String eventType, int fromVersion, UnaryOperator<String> change) {
        return new Upcaster(eventType, fromVersion, change);
    }
}
