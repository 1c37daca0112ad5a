package outbox.spi;

import java.util.Base64;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.EventEnvelope.PayloadForm;
import outbox.model.OutboxEvent;
import outbox.util.JsonCodec;

/**
 * The form a payload has in the JSON column {@code payload}: JSON text as it is, bytes as the object
 * {@code {"$outbox.bytes":"<Base64>"}}, so that SQL and CDC can read them too. Databases rewrite the white space of
 * what they store; both forms survive that. Stateless, thread-safe.
 */
public final class StoredPayload {
    /**
     * The largest headers, counted in bytes of UTF-8 as JSON. With each character escaped for the statement, and the largest
     * payload beside it, an event stays below 16 MiB, which is the largest statement of MariaDB unless it is set otherwise.
     */
    public static final int MAX_HEADERS_BYTES = 6 * 1_048_576;

    private static final String BYTES_KEY = "\"$outbox.bytes\"";
    private static final Pattern BYTES_FORM =
            Pattern.compile("\\s*\\{\\s*" + Pattern.quote(BYTES_KEY) + "\\s*:\\s*\"([^\"]*+)\"\\s*}\\s*");

    /** Begins no JSON text, so nothing stored can be mistaken for it. */
    private static final String UNREAD = "#unread ";

    private StoredPayload() {}

    /**
     * What a store puts in place of a payload that it does not read because the memory would not suffice. {@link #eventOf}
     * refuses it, so the row becomes DEAD and the others go on.
     *
     * @param bytes how many bytes the payload and the headers of the row have
     */
    public static String unread(long bytes) {
        return UNREAD + bytes;
    }

    /**
     * @return the text to store
     * @throws IllegalArgumentException if the event's JSON text is not one that every supported database stores, the
     *     message names the event, the reason and the offset; or if it has the very form that is kept for bytes: it would
     *     come back as bytes; or if its payload is a {@link outbox.PayloadSource}
     */
    public static String encode(EventEnvelope event) {
        if (event.payloadSource() != null) {
            throw new IllegalArgumentException(
                    "payload of " + nameOf(event)
                            + " is a source, which a row cannot hold: give the outbox a claim check, or set payloadJson or payloadBytes");
        }
        if (event.payloadForm() == PayloadForm.BYTES) {
            return "{" + BYTES_KEY + ":\"" + Base64.getEncoder().encodeToString(event.payloadBytes()) + "\"}";
        }
        String json = Objects.requireNonNull(event.payloadJson());
        if (matchBytesForm(json) != null) {
            throw new IllegalArgumentException("payload of " + nameOf(event) + " is an object with the single key "
                    + BYTES_KEY + ", the stored form of bytes: set payloadBytes, or use another key");
        }
        return checked("payload", json, event);
    }

    /**
     * @return the text to store; {@code null} for none
     * @throws IllegalArgumentException if it is not JSON that every supported database stores, or has more than
     *     {@link #MAX_HEADERS_BYTES}; the message names the event, the header and the offset
     */
    public static @Nullable String encodeHeaders(EventEnvelope event, JsonCodec codec) {
        event.headers().forEach((key, value) -> {
            int nul = value == null ? -1 : value.indexOf('\0');
            if (nul >= 0 || key.indexOf('\0') >= 0) {
                throw new IllegalArgumentException((nul >= 0 ? "header " + key : "a header's name") + " of "
                        + nameOf(event) + " has the character NUL at offset " + (nul >= 0 ? nul : key.indexOf('\0'))
                        + ", which PostgreSQL cannot store: remove it");
            }
        });
        String json = codec.toJson(event.headers());
        if (json == null) {
            return null;
        }
        if (json.length() > MAX_HEADERS_BYTES / 3 && Utf8.length(json) > MAX_HEADERS_BYTES) {
            throw new IllegalArgumentException("headers of " + nameOf(event) + " have " + Utf8.length(json)
                    + " bytes, the limit is " + MAX_HEADERS_BYTES + ": store the data elsewhere and send a reference");
        }
        return checked("headers", json, event);
    }

    private static String checked(String field, String json, EventEnvelope event) {
        String problem = JsonCheck.problem(json);
        if (problem != null) {
            throw new IllegalArgumentException(
                    field + " of " + nameOf(event) + " is not JSON that every supported database stores: " + problem);
        }
        return json;
    }

    private static String nameOf(EventEnvelope event) {
        return "event " + event.eventType() + " " + event.eventId();
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
     * @throws RuntimeException if the row cannot be read, whatever the reason
     */
    public static EventEnvelope eventOf(OutboxEvent row, JsonCodec codec) {
        if (row.payloadJson().startsWith(UNREAD)) {
            throw new IllegalArgumentException("payload and headers have "
                    + row.payloadJson().substring(UNREAD.length()) + " bytes, too many to be read with a heap of "
                    + Runtime.getRuntime().maxMemory()
                    + " bytes: replay the event on a node with a larger heap (-Xmx)");
        }
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
        if (json.length() <= EventEnvelope.MAX_PAYLOAD_BYTES / 3
                || Utf8.length(json) <= EventEnvelope.MAX_PAYLOAD_BYTES) {
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
