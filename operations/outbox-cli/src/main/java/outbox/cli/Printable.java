package outbox.cli;

import org.jspecify.annotations.Nullable;

/** Escapes untrusted text for a terminal: an event type could contain terminal escape sequences. */
final class Printable {
    private Printable() {}

    /** On one line. */
    static String line(@Nullable Object value) {
        return value == null ? "" : clean(String.valueOf(value), false);
    }

    /** Keeps line breaks. */
    static String text(@Nullable Object value) {
        return value == null ? "" : clean(String.valueOf(value), true);
    }

    private static String clean(String text, boolean lines) {
        StringBuilder out = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            if (c == '\n' && lines) {
                out.append('\n');
            } else if (c == '\t' || c == '\n' || c == '\r') {
                out.append(' ');
            } else if (Character.isISOControl(c) || isDirection(c)) {
                out.append('\uFFFD');
            } else {
                out.appendCodePoint(c);
            }
        });
        return out.toString();
    }

    /** Bidirectional control characters can make a line look like another one. */
    private static boolean isDirection(int c) {
        return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0x200E || c == 0x200F;
    }
}
