package outbox.idempotency.http;

import java.util.List;
import outbox.idempotency.IdempotencyKey;

/**
 * The header {@code Idempotency-Key}: a string in quotation marks, as its draft says, or the same without them, as most
 * clients send it.
 */
public final class IdempotencyKeyHeader {
    public static final String NAME = "Idempotency-Key";

    private static final String NOT_ALLOWED = "\"\\,;";

    private IdempotencyKeyHeader() {}

    /**
     * @param values all values of the header; at least one
     * @throws IllegalArgumentException if they are not one valid key
     */
    public static String parse(List<String> values) {
        if (values.size() != 1) {
            throw new IllegalArgumentException("the header is there " + values.size() + " times, send it once");
        }
        String value = values.get(0).strip();
        boolean quoted = value.length() > 1 && value.startsWith("\"") && value.endsWith("\"");
        String key = quoted ? value.substring(1, value.length() - 1) : value;
        if (key.isEmpty() || key.length() > IdempotencyKey.MAX_KEY) {
            throw new IllegalArgumentException(
                    "the key has " + key.length() + " characters, 1 to " + IdempotencyKey.MAX_KEY + " are allowed");
        }
        if (!key.chars().allMatch(c -> c > ' ' && c < 0x7f && NOT_ALLOWED.indexOf(c) < 0)) {
            throw new IllegalArgumentException("the key has characters that are not allowed: use letters, digits and"
                    + " ASCII punctuation without quotation marks, backslashes, commas and semicolons");
        }
        return key;
    }
}
