package outbox.control.source;

import java.time.Instant;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** ULIDs start with their creation time, so a time range is a range of ids. */
final class UlidTimes {
    private static final String ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    private static final Pattern ULID = Pattern.compile("[0-7][0-9A-HJKMNP-TV-Z]{25}");
    private static final int TIME_DIGITS = 10;

    private UlidTimes() {}

    static boolean isUlid(String id) {
        return ULID.matcher(id).matches();
    }

    /** @return {@code null} if the id is not a ULID */
    static @Nullable Instant timeOf(String id) {
        if (!isUlid(id)) {
            return null;
        }
        long millis = 0;
        for (int digit = 0; digit < TIME_DIGITS; digit++) {
            millis = millis << 5 | ALPHABET.indexOf(id.charAt(digit));
        }
        return Instant.ofEpochMilli(millis);
    }

    /** The smallest id of that millisecond. */
    static String firstAt(Instant time) {
        long millis = Math.max(0, time.toEpochMilli());
        StringBuilder id = new StringBuilder();
        for (int digit = TIME_DIGITS - 1; digit >= 0; digit--) {
            id.append(ALPHABET.charAt((int) (millis >>> (5 * digit) & 31)));
        }
        return id.append("0".repeat(26 - TIME_DIGITS)).toString();
    }
}
