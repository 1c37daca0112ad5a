package outbox.inbox;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.util.JsonCodec;

/** The members of a JSON object, each as the text it has there: payloads stay as their sender wrote them. */
final class JsonMembers {
    private final String text;
    private int at;

    private JsonMembers(String text) {
        this.text = text;
    }

    /** @throws IllegalArgumentException if the text is not an object */
    static Map<String, String> of(String text) {
        return new JsonMembers(text).object();
    }

    /** The value of a JSON string; {@code null} for anything else. */
    static @Nullable String string(@Nullable String json) {
        return json == null || !json.startsWith("\"")
                ? null
                : JsonCodec.getDefault().parseObject("{\"v\":" + json + "}").get("v");
    }

    private Map<String, String> object() {
        Map<String, String> members = new LinkedHashMap<>();
        skipBlanks();
        expect('{');
        skipBlanks();
        if (peek() == '}') {
            at++;
        } else {
            while (true) {
                skipBlanks();
                String name = String.valueOf(string(raw()));
                skipBlanks();
                expect(':');
                skipBlanks();
                members.put(name, raw());
                skipBlanks();
                if (peek() != ',') {
                    break;
                }
                at++;
            }
            expect('}');
        }
        skipBlanks();
        if (at != text.length()) {
            throw wrong();
        }
        return members;
    }

    /** One value. What is inside of objects and arrays is checked when the payload is stored. */
    private String raw() {
        int start = at;
        int depth = 0;
        do {
            char next = peek();
            if (next == '"') {
                skipString();
            } else if (next == '{' || next == '[') {
                depth++;
                at++;
            } else if (next == '}' || next == ']') {
                if (depth == 0) {
                    throw wrong();
                }
                depth--;
                at++;
            } else if (depth > 0) {
                at++;
            } else {
                skipLiteral();
            }
        } while (depth > 0);
        if (at == start) {
            throw wrong();
        }
        return text.substring(start, at);
    }

    private void skipString() {
        at++;
        while (peek() != '"') {
            at += peek() == '\\' ? 2 : 1;
        }
        at++;
    }

    private void skipLiteral() {
        while (at < text.length() && ",}] \t\r\n".indexOf(text.charAt(at)) < 0) {
            at++;
        }
    }

    private void skipBlanks() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private void expect(char wanted) {
        if (peek() != wanted) {
            throw wrong();
        }
        at++;
    }

    private char peek() {
        if (at >= text.length()) {
            throw wrong();
        }
        return text.charAt(at);
    }

    private IllegalArgumentException wrong() {
        return new IllegalArgumentException("the body is not a JSON object, see character " + at);
    }
}
