package outbox;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The headers of an event that was delivered before and is delivered again, to one handler, route or listener: a copy
 * with an id of its own, so that nothing takes it for a duplicate. Consumers that must not act twice look for {@link #OF}.
 *
 * <pre>{@code
 * if (event.headers().containsKey(Redelivery.OF)) {
 *     return; // the customer has this mail already
 * }
 * }</pre>
 */
public final class Redelivery {
    /** The id of the event that is delivered again. */
    public static final String OF = "outbox-redelivery-of";

    /**
     * The id of the copy and the name of the handler, route or listener that alone receives it. The id makes sure that
     * the header has no effect on other events, where an application copies headers from one event to the next.
     */
    public static final String TO = "outbox-redelivery-to";

    private Redelivery() {}

    /**
     * @param eventId of the copy
     * @param original the id of the event that is delivered again
     * @param target the name of a handler, route or listener
     */
    public static Map<String, String> headers(String eventId, String original, String target) {
        return Map.of(OF, original, TO, eventId + " " + target);
    }

    /** The name of the only handler, route or listener of this event; {@code null} if it is not a redelivery. */
    public static @Nullable String targetOf(EventEnvelope event) {
        String to = event.headers().get(TO);
        String own = event.eventId() + " ";
        return to == null || !to.startsWith(own) ? null : to.substring(own.length());
    }
}
