package outbox.control.http;

/**
 * Characters that change the direction of text. In data they can make a line look like another one: after U+202E, the end
 * of a type is read from right to left. They are shown as JSON escapes them, so that text which is JSON itself keeps its
 * meaning.
 */
final class DirectionMarks {
    private DirectionMarks() {}

    static String visible(String text) {
        int first = 0;
        while (first < text.length() && !isMark(text.charAt(first))) {
            first++;
        }
        if (first == text.length()) {
            return text;
        }
        StringBuilder out = new StringBuilder(text.length() + 16).append(text, 0, first);
        for (int i = first; i < text.length(); i++) {
            char c = text.charAt(i);
            if (isMark(c)) {
                out.append(String.format("\\u%04X", (int) c));
            } else {
                out.append(c);
            }
        }
        return out.toString();
    }

    private static boolean isMark(char c) {
        return c == 0x061C
                || c == 0x200E
                || c == 0x200F
                || (c >= 0x202A && c <= 0x202E)
                || (c >= 0x2066 && c <= 0x2069);
    }
}
