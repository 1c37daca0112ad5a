package outbox.jdbc.payload;

import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.EventEnvelope.PayloadForm;

/**
 * What the row of an event has in place of its payload: {@code {"$outbox.reference":"v1.<form>.<size>.<stored>.<key>"}}.
 * The body belongs to the event id, so a reference names none, and a copy of the row works with a copy of the body.
 *
 * @param size of the payload in bytes
 * @param stored how many bytes are stored, which is more if the body is encrypted
 * @param secret the key of the body alone in Base64, empty if it is not encrypted; the seal of the event encrypts it with
 *     the reference
 */
record PayloadReference(PayloadForm form, long size, long stored, String secret) {
    private static final String NAME = "\"$outbox.reference\"";
    private static final Pattern TEXT =
            Pattern.compile("\\s*\\{\\s*" + Pattern.quote(NAME) + "\\s*:\\s*\"([^\"]*+)\"\\s*}\\s*");
    private static final Pattern TOKEN = Pattern.compile("v1\\.(JSON|BYTES)\\.(\\d{1,18})\\.(\\d{1,18})\\.([\\w-]*)");

    String asPayload() {
        return "{" + NAME + ":\"v1." + form + "." + size + "." + stored + "." + secret + "\"}";
    }

    /** @return {@code null} if the payload is not a reference */
    static @Nullable PayloadReference of(EventEnvelope event) {
        if (event.payloadSource() != null || event.payloadForm() != PayloadForm.JSON) {
            return null;
        }
        Matcher text = TEXT.matcher(String.valueOf(event.payloadJson()));
        if (!text.matches()) {
            return null;
        }
        Matcher token = TOKEN.matcher(text.group(1));
        if (!token.matches()) {
            return null;
        }
        return new PayloadReference(
                PayloadForm.valueOf(token.group(1)),
                Long.parseLong(token.group(2)),
                Long.parseLong(token.group(3)),
                token.group(4));
    }

    static String secretOf(byte @Nullable [] key) {
        return key == null ? "" : Base64.getUrlEncoder().withoutPadding().encodeToString(key);
    }

    /** {@code null} if the body is not encrypted. */
    byte @Nullable [] key() {
        return secret.isEmpty() ? null : Base64.getUrlDecoder().decode(secret);
    }

    /** Without the key. */
    @Override
    public String toString() {
        return "reference to " + size + " bytes";
    }
}
