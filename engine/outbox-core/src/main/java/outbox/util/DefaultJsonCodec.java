package outbox.util;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes flat JSON objects whose values are strings. A {@code null} value stays null; numbers and booleans
 * are read as their text, because other writers put them there. Nested values are refused. Stateless, thread-safe.
 */
public final class DefaultJsonCodec implements JsonCodec {
    static final DefaultJsonCodec INSTANCE = new DefaultJsonCodec();

    @Override
    public @Nullable String toJson(@Nullable Map<String, String> headers) {
        if (headers == null || headers.isEmpty()) {
            return null;
        }
        StringBuilder out = new StringBuilder(headers.size() * 32).append('{');
        for (Map.Entry<String, @Nullable String> entry : headers.entrySet()) {
            if (entry.getKey() == null) {
                throw new IllegalArgumentException("header key must not be null (value: " + entry.getValue() + ")");
            }
            if (out.length() > 1) {
                out.append(',');
            }
            quote(entry.getKey(), out);
            out.append(':');
            String value = entry.getValue();
            if (value == null) {
                out.append("null");
            } else {
                quote(value, out);
            }
        }
        return out.append('}').toString();
    }

    private static void quote(String text, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                case '\b' -> out.append("\\b");
                case '\f' -> out.append("\\f");
                default -> {
                    if (c < 0x20 || c == 0x7f || c == 0x2028 || c == 0x2029) {
                        out.append(String.format("\\u%04x", (int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }

    @Override
    public Map<String, String> parseObject(@Nullable String json) {
        if (json == null || json.isEmpty() || json.equals("null")) {
            return Map.of();
        }
        return new Parser(json).object();
    }

    /** One pass over the text; positions in messages are character offsets. */
    private static final class Parser {
        private final String text;
        private int at;

        Parser(String text) {
            this.text = text;
        }

        Map<String, String> object() {
            Map<String, @Nullable String> result = new LinkedHashMap<>();
            skipSpace();
            expect('{');
            skipSpace();
            if (peek() == '}') {
                at++;
            } else {
                do {
                    skipSpace();
                    String key = string();
                    skipSpace();
                    expect(':');
                    skipSpace();
                    result.put(key, value());
                    skipSpace();
                } while (next() == ',');
                at--;
                expect('}');
            }
            skipSpace();
            if (at != text.length()) {
                throw error("text after the object");
            }
            return nullable(result);
        }

        @SuppressWarnings("NullAway") // the interface speaks of String values; null values are passed through
        private static Map<String, String> nullable(Map<String, @Nullable String> map) {
            return map;
        }

        private @Nullable String value() {
            char c = peek();
            if (c == '"') {
                return string();
            }
            if (c == '{' || c == '[') {
                throw error("nested values are not supported in headers");
            }
            int start = at;
            while (at < text.length() && ",} \t\r\n".indexOf(text.charAt(at)) < 0) {
                at++;
            }
            String literal = text.substring(start, at);
            if (literal.equals("null")) {
                return null;
            }
            if (literal.equals("true") || literal.equals("false") || isNumber(literal)) {
                return literal;
            }
            at = start;
            throw error("expected a string");
        }

        private static boolean isNumber(String literal) {
            return literal.matches("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?");
        }

        private String string() {
            expect('"');
            int start = at;
            int end = at;
            while (end < text.length()
                    && text.charAt(end) != '"'
                    && text.charAt(end) != '\\'
                    && text.charAt(end) >= 0x20) {
                end++;
            }
            if (end < text.length() && text.charAt(end) == '"') {
                at = end + 1;
                return text.substring(start, end);
            }
            StringBuilder out = new StringBuilder().append(text, start, end);
            at = end;
            while (true) {
                char c = next();
                if (c == '"') {
                    return out.toString();
                }
                if (c < 0x20) {
                    throw error("control character in a string");
                }
                out.append(c == '\\' ? escape() : c);
            }
        }

        private char escape() {
            char c = next();
            return switch (c) {
                case '"', '\\', '/' -> c;
                case 'n' -> '\n';
                case 'r' -> '\r';
                case 't' -> '\t';
                case 'b' -> '\b';
                case 'f' -> '\f';
                case 'u' -> unicode();
                default -> throw error("unknown escape \\" + c);
            };
        }

        private char unicode() {
            int code = 0;
            for (int i = 0; i < 4; i++) {
                int digit = Character.digit(next(), 16);
                if (digit < 0) {
                    throw error("four hex digits expected after \\u");
                }
                code = code * 16 + digit;
            }
            return (char) code;
        }

        private void skipSpace() {
            while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
                at++;
            }
        }

        private char peek() {
            if (at >= text.length()) {
                throw error("unexpected end");
            }
            return text.charAt(at);
        }

        private char next() {
            char c = peek();
            at++;
            return c;
        }

        private void expect(char wanted) {
            char found = peek();
            if (found != wanted) {
                throw error("expected '" + wanted + "' but found '" + found + "'");
            }
            at++;
        }

        private IllegalArgumentException error(String what) {
            return new IllegalArgumentException("not a flat JSON object: " + what + " at offset " + at);
        }
    }
}
