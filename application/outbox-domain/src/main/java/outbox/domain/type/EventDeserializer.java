package outbox.domain.type;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.PayloadHeaders;
import outbox.domain.EventHeaders;
import outbox.domain.EventName;
import outbox.domain.type.EventTypes.Registration;

/** Converts an envelope back to the published object, in the current version of its class. Thread-safe. */
public final class EventDeserializer {
    private static final Logger LOG = System.getLogger(EventDeserializer.class.getName());

    private final EventTypes types;
    private final PayloadSerializer serializer;
    private final Set<String> newer = ConcurrentHashMap.newKeySet(); // reported already

    public EventDeserializer(EventTypes types, PayloadSerializer serializer) {
        this.types = Objects.requireNonNull(types, "types");
        this.serializer = Objects.requireNonNull(serializer, "serializer");
    }

    /**
     * @throws UnknownEventTypeException if no class is registered for the event's type
     * @throws UnreadableEventException if the payload does not match the class
     * @throws outbox.UnreadablePayloadException if it is gone, or its content type is not one
     * @throws NewerEventVersionException if the event's version is higher than that of the class
     */
    public Object read(EventEnvelope event) {
        Registration registration = types.registration(event.eventType());
        if (registration == null) {
            throw new UnknownEventTypeException("no class is registered for event type '" + event.eventType()
                    + "' (event " + event.eventId() + "); register one with EventTypes and replay the event");
        }
        String contentType = PayloadHeaders.contentType(event);
        if (event.headers().containsKey(PayloadHeaders.CONTENT_TYPE) && !PayloadHeaders.isJson(contentType)) {
            return decode(event, registration, PayloadHeaders.mediaTypeOf(contentType));
        }
        String payload = event.payloadJson();
        if (payload == null) {
            throw new UnreadableEventException(
                    event + " has a payload that is not UTF-8, but " + registration + " is read from JSON text", null);
        }
        String today = upcast(event, registration, payload);
        try {
            return serializer.deserialize(today, registration.type());
        } catch (RuntimeException e) {
            throw new UnreadableEventException("payload of " + event + " cannot be read as " + registration, e);
        }
    }

    private Object decode(EventEnvelope event, Registration registration, String mediaType) {
        refuseNewer(event, registration, versionOf(event));
        for (PayloadFormat format : serializer.formats()) {
            if (format.contentType().equals(mediaType)) {
                return format.decode(event, registration.type());
            }
        }
        throw new UnreadableEventException(
                event + " has the content type " + mediaType + ", for which there is no format; known are JSON and "
                        + serializer.formats().stream()
                                .map(PayloadFormat::contentType)
                                .toList(),
                null);
    }

    private String upcast(EventEnvelope event, Registration registration, String payload) {
        int version = versionOf(event);
        refuseNewer(event, registration, version);
        String result = payload;
        for (; version < registration.version(); version++) {
            Upcaster upcaster = types.upcaster(registration.name(), version);
            if (upcaster == null) {
                throw new UnreadableEventException(
                        event + " has version " + version + " and there is no upcaster from it to " + registration,
                        null);
            }
            try {
                result = upcaster.change().apply(result);
            } catch (RuntimeException e) {
                throw new UnreadableEventException(
                        "upcaster from version " + version + " of " + registration.name() + " failed for " + event, e);
            }
        }
        return result;
    }

    private void refuseNewer(EventEnvelope event, Registration registration, int version) {
        if (version > registration.version()) {
            String message = event + " has version " + version + ", but this application only knows " + registration
                    + "; a newer release must read it";
            if (newer.add(registration.name() + " " + version)) {
                LOG.log(
                        Level.WARNING,
                        message + ". Until then, events of that version wait in the table; this is logged once");
            }
            throw new NewerEventVersionException(message);
        }
    }

    private static int versionOf(EventEnvelope event) {
        @Nullable String version = event.headers().get(EventHeaders.VERSION);
        if (version == null) {
            return EventName.FIRST_VERSION;
        }
        try {
            return Integer.parseInt(version);
        } catch (NumberFormatException e) {
            throw new UnreadableEventException(
                    "header " + EventHeaders.VERSION + " of " + event + " is not a number: " + version, e);
        }
    }
}
