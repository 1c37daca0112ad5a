package outbox.alert;

import java.net.URI;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What people are told. It is text: whatever it quotes from events, no channel takes parts of it for a mention, a link or
 * a format. Immutable.
 *
 * @param title one line
 * @param lines what there is to know, a line each
 * @param link where to look; {@code null} if there is no such place
 */
public record AlertMessage(
        Kind kind,
        String title,
        List<String> lines,
        @Nullable URI link) {
    /** Why people are told. */
    public enum Kind {
        /** Something is wrong. */
        PROBLEM,
        /** It is over. */
        RECOVERY,
        /** Somebody tries the channel. */
        TEST
    }

    private static final int MAX_TITLE = 200;
    private static final int MAX_LINE = 500;

    public AlertMessage {
        Objects.requireNonNull(kind, "kind");
        title = oneLine(title, MAX_TITLE);
        lines = lines.stream().map(line -> oneLine(line, MAX_LINE)).toList();
    }

    /** Without line breaks and control characters, and not endless. */
    private static String oneLine(String text, int limit) {
        String clean = text.replaceAll("[\\p{Cntrl}\\u2028\\u2029]+", " ").strip();
        if (clean.length() <= limit) {
            return clean;
        }
        int end = Character.isHighSurrogate(clean.charAt(limit - 2)) ? limit - 2 : limit - 1;
        return clean.substring(0, end) + "…";
    }

    /** All of it, as plain text. */
    public String text() {
        StringBuilder text = new StringBuilder(title);
        lines.forEach(line -> text.append('\n').append(line));
        if (link != null) {
            text.append('\n').append(link);
        }
        return text.toString();
    }
}
