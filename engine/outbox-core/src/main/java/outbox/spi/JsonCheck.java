package outbox.spi;

import org.jspecify.annotations.Nullable;

/**
 * Finds what one of the supported databases would refuse in a JSON text, so that an event is refused before the statement,
 * by name, on all of them alike: what is not JSON by RFC 8259; what PostgreSQL cannot store, the character NUL however it
 * is written and halves of surrogate pairs; what MariaDB and MySQL cannot, values nested deeper than {@value #MAX_DEPTH}
 * levels, numbers beyond a double and keys beyond {@value #MAX_KEY_BYTES} bytes. One pass, no garbage. Not thread-safe.
 */
final class JsonCheck {
    /** MariaDB's JSON_VALID ends here; MySQL at 100. */
    private static final int MAX_DEPTH = 31;

    private static final int MAX_KEY_BYTES = 65_535;

    /** MySQL's largest exponent, and PostgreSQL's largest number of digits behind the point. */
    private static final int MAX_EXPONENT = 308;

    private static final int MAX_SCALE = 16_383;

    private final String text;
    private int at;

    private JsonCheck(String text) {
        this.text = text;
    }

    /** @return what is wrong and at which offset, in characters; never quotes the text; {@code null} if nothing is */
    static @Nullable String problem(String text) {
        JsonCheck check = new JsonCheck(text);
        try {
            check.document();
            return null;
        } catch (Flaw e) {
            return e.what + " at offset " + e.offset;
        }
    }

    private static final class Flaw extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final String what;
        private final int offset;

        Flaw(String what, int offset) {
            super(null, null, false, false);
            this.what = what;
            this.offset = offset;
        }
    }

    private void document() {
        long objects = 0; // one bit for each open level: 1 for an object, 0 for an array
        int depth = 0;
        while (true) {
            skipSpace();
            char c = peek();
            if (c == '{' || c == '[') {
                if (++depth > MAX_DEPTH) {
                    throw new Flaw("a value nested deeper than " + MAX_DEPTH + " levels", at);
                }
                objects = objects << 1 | (c == '{' ? 1 : 0);
                at++;
                skipSpace();
                if (peek() == (c == '{' ? '}' : ']')) {
                    at++;
                    objects >>>= 1;
                    depth--;
                } else {
                    if (c == '{') {
                        key();
                    }
                    continue;
                }
            } else {
                scalar(c);
            }
            while (true) {
                skipSpace();
                if (depth == 0) {
                    if (at < text.length()) {
                        throw unexpected();
                    }
                    return;
                }
                boolean isObject = (objects & 1) == 1;
                char next = peek();
                if (next == ',') {
                    at++;
                    if (isObject) {
                        skipSpace();
                        key();
                    }
                    break;
                } else if (next == (isObject ? '}' : ']')) {
                    at++;
                    objects >>>= 1;
                    depth--;
                } else {
                    throw unexpected();
                }
            }
        }
    }

    private void key() {
        int start = at;
        if (peek() != '"') {
            throw unexpected();
        }
        string();
        if (at - start > MAX_KEY_BYTES / 3 && Utf8.length(text, start + 1, at - 1) > MAX_KEY_BYTES) {
            throw new Flaw("a key longer than " + MAX_KEY_BYTES + " bytes", start);
        }
        skipSpace();
        if (peek() != ':') {
            throw unexpected();
        }
        at++;
    }

    private void scalar(char c) {
        switch (c) {
            case '"' -> string();
            case 't' -> literal("true");
            case 'f' -> literal("false");
            case 'n' -> literal("null");
            default -> number();
        }
    }

    private void literal(String literal) {
        for (int i = 0; i < literal.length(); i++) {
            if (peek() != literal.charAt(i)) {
                throw unexpected();
            }
            at++;
        }
    }

    private void string() {
        at++;
        while (true) {
            skipPlain();
            char c = peek();
            if (c == '"') {
                at++;
                return;
            } else if (c < 0x20) {
                throw unexpected();
            } else if (c == '\\') {
                escape();
            } else if (Character.isSurrogate(c)) {
                if (!Character.isHighSurrogate(c)
                        || at + 1 >= text.length()
                        || !Character.isLowSurrogate(text.charAt(at + 1))) {
                    throw new Flaw("half a surrogate pair", at);
                }
                at += 2;
            }
        }
    }

    /** Nearly all there is in a string. */
    private void skipPlain() {
        int i = at;
        while (i < text.length()) {
            char c = text.charAt(i);
            if (c < 0x20 || c == '"' || c == '\\' || Character.isSurrogate(c)) {
                break;
            }
            i++;
        }
        at = i;
    }

    private void escape() {
        int start = at++;
        char kind = peek();
        at++;
        if (kind != 'u') {
            if ("\"\\/bfnrt".indexOf(kind) < 0) {
                throw new Flaw("an unknown escape", start);
            }
            return;
        }
        char escaped = hex(start);
        if (escaped == 0) {
            throw new Flaw("the character NUL, written \\u0000,", start);
        } else if (Character.isSurrogate(escaped)) {
            boolean isPair = Character.isHighSurrogate(escaped) && text.startsWith("\\u", at);
            at += isPair ? 2 : 0;
            if (!isPair || !Character.isLowSurrogate(hex(start))) {
                throw new Flaw("half a surrogate pair, written \\u" + Integer.toHexString(escaped) + ",", start);
            }
        }
    }

    private char hex(int start) {
        int code = 0;
        for (int i = 0; i < 4; i++) {
            char c = peek();
            int digit = c < 0x80 ? Character.digit(c, 16) : -1;
            if (digit < 0) {
                throw new Flaw("an escape without four hexadecimal digits", start);
            }
            code = code * 16 + digit;
            at++;
        }
        return (char) code;
    }

    private void number() {
        int start = at;
        if (peek() == '-') {
            at++;
        }
        int whole = 1;
        if (peek() == '0') {
            at++;
        } else {
            whole = digits();
        }
        int fraction = 0;
        if (at < text.length() && text.charAt(at) == '.') {
            at++;
            fraction = digits();
        }
        int exponent = 0;
        if (at < text.length() && (text.charAt(at) == 'e' || text.charAt(at) == 'E')) {
            at++;
            boolean negative = peek() == '-';
            if (negative || peek() == '+') {
                at++;
            }
            int from = at;
            digits();
            exponent = at - from > 9 ? Integer.MAX_VALUE / 2 : Integer.parseInt(text.substring(from, at));
            exponent = negative ? -exponent : exponent;
        }
        boolean isLarge = whole + exponent > MAX_EXPONENT;
        if (whole > MAX_EXPONENT
                || exponent > MAX_EXPONENT
                || fraction - Math.min(exponent, 0) > MAX_SCALE
                || (isLarge && Double.isInfinite(Double.parseDouble(text.substring(start, at))))) {
            throw new Flaw("a number out of the range that databases store", start);
        }
    }

    /** @return how many */
    private int digits() {
        int start = at;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        if (at == start) {
            throw unexpected();
        }
        return at - start;
    }

    private void skipSpace() {
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c != ' ' && c != '\n' && c != '\r' && c != '\t') {
                return;
            }
            at++;
        }
    }

    private char peek() {
        if (at >= text.length()) {
            throw new Flaw("unexpected end", at);
        }
        return text.charAt(at);
    }

    /** The code only: the text may be secret. */
    private Flaw unexpected() {
        if (at >= text.length()) {
            return new Flaw("unexpected end", at);
        }
        char c = text.charAt(at);
        return new Flaw(c == 0 ? "the character NUL" : "unexpected character U+%04X".formatted((int) c), at);
    }
}
