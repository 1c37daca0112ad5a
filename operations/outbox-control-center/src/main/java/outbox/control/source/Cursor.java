package outbox.control.source;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** The end of a page: the sort key of its last row. */
record Cursor(@Nullable Instant time, String id) {
    private static final char SEPARATOR = '~';

    /** For URLs. */
    String encode() {
        String text = (time == null ? "" : time.toString()) + SEPARATOR + id;
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /** @throws IllegalArgumentException if the text is not a valid cursor */
    static Cursor decode(String encoded) {
        try {
            String text = new String(Base64.getUrlDecoder().decode(encoded), StandardCharsets.UTF_8);
            int at = text.indexOf(SEPARATOR);
            Instant time = at == 0 ? null : Instant.parse(text.substring(0, at));
            boolean strange = text.indexOf('\0') >= 0
                    || (time != null && (time.isBefore(FilterText.EARLIEST) || time.isAfter(FilterText.LATEST)));
            if (strange) {
                throw new DateTimeException("no event is there");
            }
            return new Cursor(time, text.substring(at + 1));
        } catch (IllegalArgumentException | IndexOutOfBoundsException | DateTimeException e) {
            throw new IllegalArgumentException("invalid cursor: '" + encoded + "'", e);
        }
    }
}
