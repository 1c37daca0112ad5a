package outbox;

import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope.PayloadForm;

/**
 * The headers that say what a payload is: publishers pass them on where their protocol has a place for them, and readers
 * choose by them how to decode it.
 *
 * <pre>{@code
 * EventEnvelope.builder("ImageTaken")
 *     .payloadBytes(png)
 *     .header(PayloadHeaders.CONTENT_TYPE, "image/png")
 *     .build();
 * }</pre>
 */
public final class PayloadHeaders {
    /** The media type; without it, JSON text is {@code application/json}, and bytes are {@code application/octet-stream}. */
    public static final String CONTENT_TYPE = "contentType";

    /** A URI that names the schema: {@code dataschema} of CloudEvents. */
    public static final String DATA_SCHEMA = "dataSchema";

    /** The id of the schema in a schema registry, a decimal number. */
    public static final String SCHEMA_ID = "schemaId";

    /** For Protocol Buffers with a {@link #SCHEMA_ID}: where the message is in its file, such as {@code 0} or {@code 1,0}. */
    public static final String SCHEMA_INDEXES = "schemaIndexes";

    private static final String JSON = "application/json";
    private static final String BYTES = "application/octet-stream";
    private static final String TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]+";
    private static final Pattern MEDIA_TYPE =
            Pattern.compile(TOKEN + "/" + TOKEN + "(\\s*;\\s*" + TOKEN + "=(" + TOKEN + "|\"[ !#-\\[\\]-~]*\"))*");

    private PayloadHeaders() {}

    /**
     * The media type of an event's payload.
     *
     * @throws UnreadablePayloadException if the header is not a media type, or says that JSON text is something else
     */
    public static String contentType(EventEnvelope event) {
        String given = event.headers().get(CONTENT_TYPE);
        boolean json = event.payloadForm() == PayloadForm.JSON;
        if (given == null) {
            return json ? JSON : BYTES;
        }
        if (!MEDIA_TYPE.matcher(given).matches()) {
            throw new UnreadablePayloadException(
                    event + " has the header " + CONTENT_TYPE + " '" + given + "', which is not a media type");
        }
        if (json && !isJson(given)) {
            throw new UnreadablePayloadException(event + " has JSON text as its payload, but the header " + CONTENT_TYPE
                    + " '" + given + "': write it with payloadBytes");
        }
        return given;
    }

    /** Whether the payload is of that media type, whatever its parameters. */
    public static boolean isOf(String mediaType, EventEnvelope event) {
        return mediaTypeOf(contentType(event)).equals(mediaType);
    }

    /** A media type without parameters, in lower case. */
    public static String mediaTypeOf(String contentType) {
        int parameters = contentType.indexOf(';');
        return (parameters < 0 ? contentType : contentType.substring(0, parameters))
                .strip()
                .toLowerCase(Locale.ROOT);
    }

    /** Whether a media type is JSON: {@code application/json}, or one that ends with {@code +json}. */
    public static boolean isJson(String contentType) {
        String mediaType = mediaTypeOf(contentType);
        return mediaType.equals(JSON) || mediaType.equals("text/json") || mediaType.endsWith("+json");
    }

    /**
     * The id of the schema; empty if there is none.
     *
     * @throws UnreadablePayloadException if the header is not a number from 0 on
     */
    public static OptionalInt schemaId(EventEnvelope event) {
        String id = event.headers().get(SCHEMA_ID);
        if (id == null) {
            return OptionalInt.empty();
        }
        try {
            int number = Integer.parseInt(id);
            if (number >= 0) {
                return OptionalInt.of(number);
            }
        } catch (NumberFormatException e) {
            // same error below
        }
        throw new UnreadablePayloadException(
                event + " has the header " + SCHEMA_ID + " '" + id + "', which is not the number of a schema");
    }

    /** Adds the attributes of CloudEvents that describe the data. */
    public static void addTo(Map<String, String> cloudEvent, EventEnvelope event) {
        cloudEvent.put("datacontenttype", contentType(event));
        @Nullable String schema = event.headers().get(DATA_SCHEMA);
        if (schema != null) {
            cloudEvent.put("dataschema", schema);
        }
    }
}
