package outbox.cli;

import org.jspecify.annotations.Nullable;

/** Text that came from outside, for a terminal: an event's type could hold sequences that a terminal obeys. */
final class Printable {
    private Printable() {}

    /** On one line. */
    static String line(@Nullable Object value) {
        return value == null ? "" : clean(String.valueOf(value), false);
    }

    /** As it is, line breaks included. */
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

    /** Characters that turn the direction of writing can make a line read as another one. */
    private static boolean isDirection(int c) {
        return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0x200E || c == 0x200F;
    }
}
