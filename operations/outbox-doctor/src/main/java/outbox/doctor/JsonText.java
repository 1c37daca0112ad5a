package outbox.doctor;

import java.util.List;
import java.util.Map;

/** Maps, lists, strings, numbers and booleans as indented JSON. */
final class JsonText {
    private final StringBuilder out = new StringBuilder();

    private JsonText() {}

    static String of(Object value) {
        JsonText text = new JsonText();
        text.write(value, "\n");
        return text.out.append('\n').toString();
    }

    private void write(Object value, String newLine) {
        String inner = newLine + "  ";
        if (value instanceof Map<?, ?> map) {
            String separator = "{";
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                out.append(separator).append(inner);
                quote(String.valueOf(entry.getKey()));
                out.append(": ");
                write(entry.getValue(), inner);
                separator = ",";
            }
            out.append(map.isEmpty() ? "{}" : newLine + "}");
        } else if (value instanceof List<?> list) {
            String separator = "[";
            for (Object item : list) {
                out.append(separator).append(inner);
                write(item, inner);
                separator = ",";
            }
            out.append(list.isEmpty() ? "[]" : newLine + "]");
        } else if (value instanceof Boolean || value instanceof Number) {
            out.append(value);
        } else {
            quote(String.valueOf(value));
        }
    }

    private void quote(String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (c < 0x20 || Character.isSurrogate(c)) {
                        out.append(String.format("\\u%04x", (int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }
}
