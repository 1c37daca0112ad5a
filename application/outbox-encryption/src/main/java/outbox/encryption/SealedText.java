package outbox.encryption;

import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An encrypted text with everything needed to decrypt it except the key: {@code v1.<key id>.<wrapped data key>.<data>}.
 * As a payload it is {@code {"$outbox.sealed":"…"}}, valid in a JSON column; as a header it has a prefix. Both forms
 * tolerate databases that change white space and escaping.
 */
record SealedText(String keyId, String wrappedKey, String data) {
    static final String VERSION = "v1";

    private static final String MARK = "$outbox.sealed";
    private static final String KEY = "\"" + MARK + "\"";
    private static final String HEADER_PREFIX = MARK + ":";
    private static final Pattern PAYLOAD =
            Pattern.compile("\\s*\\{\\s*" + Pattern.quote(KEY) + "\\s*:\\s*\"([^\"]*+)\"\\s*}\\s*");

    private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();
    private static final Base64.Decoder DECODER = Base64.getUrlDecoder();

    static SealedText of(DataKeys.DataKey key, byte[] data) {
        return new SealedText(key.keyId(), key.wrapped(), base64(data));
    }

    static String base64(byte[] bytes) {
        return ENCODER.encodeToString(bytes);
    }

    /** @throws DecryptionException if that is not Base64, as {@link #base64} makes it */
    static byte[] bytes(String base64) {
        try {
            byte[] bytes = DECODER.decode(base64);
            if (base64(bytes).equals(base64)) { // decoders ignore unused bits
                return bytes;
            }
        } catch (IllegalArgumentException e) {
            // same error below
        }
        throw new DecryptionException("the encrypted text is corrupted: invalid Base64");
    }

    String asPayload() {
        return "{" + KEY + ":\"" + token() + "\"}";
    }

    String asHeader() {
        return HEADER_PREFIX + token();
    }

    private String token() {
        return VERSION + "." + keyId + "." + wrappedKey + "." + data;
    }

    static boolean isPayload(@Nullable String json) {
        return json != null && tokenIn(json) != null;
    }

    static boolean isHeader(@Nullable String value) {
        return value != null && value.startsWith(HEADER_PREFIX);
    }

    /** @return {@code null} if this is an ordinary payload */
    static @Nullable SealedText ofPayload(@Nullable String json) {
        String token = json == null ? null : tokenIn(json);
        return token == null ? null : parse(token.replace("\\/", "/"));
    }

    /** @return {@code null} if this is an ordinary value */
    static @Nullable SealedText ofHeader(@Nullable String value) {
        return value == null || !isHeader(value) ? null : parse(value.substring(HEADER_PREFIX.length()));
    }

    private static @Nullable String tokenIn(String json) {
        int key = json.indexOf(KEY);
        // A cheap check first, to avoid the pattern for ordinary payloads.
        if (key < 0 || key > 64) {
            return null;
        }
        Matcher matcher = PAYLOAD.matcher(json);
        return matcher.matches() ? matcher.group(1) : null;
    }

    private static SealedText parse(String token) {
        String[] parts = token.split("\\.", -1);
        if (!parts[0].equals(VERSION)) {
            throw new DecryptionException("the encrypted text has an unsupported version; supported is " + VERSION);
        }
        if (parts.length != 4) {
            throw new DecryptionException("the encrypted text has " + parts.length + " parts instead of 4");
        }
        if (!KeyId.isLegal(parts[1])) {
            throw new DecryptionException("the encrypted text is corrupted: invalid key id");
        }
        return new SealedText(parts[1], parts[2], parts[3]);
    }
}
