package outbox.spi;

import java.util.Base64;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.model.OutboxEvent;
import outbox.util.JsonCodec;

/**
 * The form a payload has in the JSON column {@code payload}: JSON text as it is, bytes as the object
 * {@code {"$outbox.bytes":"<Base64>"}}, so that SQL and CDC can read them too. Databases rewrite the white space of
 * what they store; both forms survive that. Stateless, thread-safe.
 */
public final class StoredPayload {
    private static final String BYTES_KEY = "\"$outbox.bytes\"";
    private static final Pattern BYTES_FORM =
            Pattern.compile("\\s*\\{\\s*" + Pattern.quote(BYTES_KEY) + "\\s*:\\s*\"([^\"]*+)\"\\s*}\\s*");

    private StoredPayload() {}

    /**
     * @return the text to store
     * @throws IllegalArgumentException if the event's JSON text has the very form that is kept for bytes: it would come
     *     back as bytes
     */
    public static String encode(EventEnvelope event) {
        byte[] bytes = event.payloadBytes();
        if (bytes != null) {
            return "{" + BYTES_KEY + ":\"" + Base64.getEncoder().encodeToString(bytes) + "\"}";
        }
        String json = Objects.requireNonNull(event.payloadJson());
        if (matchBytesForm(json) != null) {
            throw new IllegalArgumentException("payload of event " + event.eventType() + " " + event.eventId()
                    + " is an object with the single key " + BYTES_KEY
                    + ", the stored form of bytes: set payloadBytes, or use another key");
        }
        return json;
    }

    /**
     * Sets {@code payloadJson} or {@code payloadBytes} of an event that is being read.
     *
     * @return the same builder
     * @throws IllegalArgumentException if the text has the form of bytes but is not Base64
     */
    public static EventEnvelope.Builder decode(String stored, EventEnvelope.Builder into) {
        byte[] bytes = bytesOf(stored);
        return bytes == null ? into.storedPayloadJson(withinLimit(stored)) : into.payloadBytes(bytes);
    }

    /**
     * The event a row holds, in its stored form.
     *
     * @throws RuntimeException if the row can not be read, whatever the reason
     */
    public static EventEnvelope eventOf(OutboxEvent row, JsonCodec codec) {
        EventEnvelope.Builder event = EventEnvelope.builder(row.eventType())
                .eventId(row.eventId())
                .occurredAt(row.createdAt())
                .aggregateType(row.aggregateType())
                .aggregateId(given(row.aggregateId()))
                .tenantId(given(row.tenantId()))
                .headers(codec.parseObject(row.headersJson()));
        return decode(row.payloadJson(), event).build();
    }

    /** Other writers may leave empty what this one leaves out. */
    private static @Nullable String given(@Nullable String stored) {
        return stored == null || stored.isBlank() ? null : stored;
    }

    /**
     * @return the bytes behind the stored text, or {@code null} if it is JSON text
     * @throws IllegalArgumentException if the text has the form of bytes but is not Base64
     */
    public static byte @Nullable [] bytesOf(String stored) {
        String base64 = matchBytesForm(stored);
        // Some JSON writers escape the slash, which is a letter of Base64.
        return base64 == null ? null : Base64.getDecoder().decode(base64.replace("\\/", "/"));
    }

    private static @Nullable String matchBytesForm(String json) {
        int key = json.indexOf(BYTES_KEY);
        // The key can only follow the brace: this keeps the pattern away from ordinary payloads.
        if (key < 0 || key > 64) {
            return null;
        }
        Matcher matcher = BYTES_FORM.matcher(json);
        return matcher.matches() ? matcher.group(1) : null;
    }

    /**
     * A database may have put spaces behind colons and commas and so made a payload longer than was allowed to be
     * written. Such a text loses its insignificant white space again; all others are passed on untouched.
     */
    private static String withinLimit(String json) {
        if (json.length() <= EventEnvelope.MAX_PAYLOAD_BYTES / 3) {
            return json;
        }
        StringBuilder out = new StringBuilder(json.length());
        boolean inString = false;
        for (int i = 0; i < json.length(); i++) {
            char c = json.charAt(i);
            if (inString && c == '\\' && i + 1 < json.length()) {
                out.append(c).append(json.charAt(++i));
                continue;
            }
            if (c == '"') {
                inString = !inString;
            }
            if (inString || (c != ' ' && c != '\n' && c != '\r' && c != '\t')) {
                out.append(c);
            }
        }
        return out.toString();
    }
}
