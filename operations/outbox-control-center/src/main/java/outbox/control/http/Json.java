package outbox.control.http;

import java.io.InputStream;
import java.io.StringWriter;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import outbox.control.json.JsonObjects;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** Converts records, maps, lists and plain values to JSON, and JSON objects to maps. Stateless, thread-safe. */
final class Json {
    static final String MASK = "•••";

    private static final JsonFactory FACTORY = new JsonFactory();

    private Json() {}

    /** To be shown: {@link DirectionMarks} in texts are visible. */
    static byte[] bytes(@Nullable Object value) {
        return text(value, DirectionMarks::visible).getBytes(StandardCharsets.UTF_8);
    }

    /** To be read by programs: texts stay as they are, and {@link DirectionMarks} are escaped. */
    static byte[] exactBytes(@Nullable Object value) {
        return DirectionMarks.visible(text(value, text -> text)).getBytes(StandardCharsets.UTF_8);
    }

    private static String text(@Nullable Object value, UnaryOperator<String> texts) {
        StringWriter out = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(ObjectWriteContext.empty(), out)) {
            write(json, value, texts);
        }
        return out.toString();
    }

    private static void write(JsonGenerator json, @Nullable Object value, UnaryOperator<String> texts) {
        if (value == null) {
            json.writeNull();
        } else if (value instanceof Map<?, ?> map) {
            json.writeStartObject();
            map.forEach((key, entry) -> {
                json.writeName(texts.apply(String.valueOf(key)));
                write(json, entry, texts);
            });
            json.writeEndObject();
        } else if (value instanceof Iterable<?> items) {
            json.writeStartArray();
            items.forEach(item -> write(json, item, texts));
            json.writeEndArray();
        } else if (value instanceof Record record) {
            writeRecord(json, record, texts);
        } else if (value instanceof Boolean flag) {
            json.writeBoolean(flag);
        } else if (value instanceof Integer || value instanceof Long) {
            json.writeNumber(((Number) value).longValue());
        } else if (value instanceof Double number) {
            json.writeNumber(Math.round(number * 1000) / 1000.0);
        } else if (value instanceof Enum<?> constant) {
            json.writeString(constant.name().toLowerCase(Locale.ROOT));
        } else if (value instanceof String || value instanceof Instant) {
            json.writeString(texts.apply(value.toString()));
        } else {
            throw new IllegalArgumentException(
                    "no JSON form for " + value.getClass().getName());
        }
    }

    private static void writeRecord(JsonGenerator json, Record record, UnaryOperator<String> texts) {
        json.writeStartObject();
        for (RecordComponent component : record.getClass().getRecordComponents()) {
            json.writeName(component.getName());
            try {
                write(json, component.getAccessor().invoke(record), texts);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("cannot read " + component, e);
            }
        }
        json.writeEndObject();
    }

    /** @throws ApiException 400 if it is not one JSON object */
    static Map<String, @Nullable Object> object(InputStream in) {
        try {
            return JsonObjects.read(in, Exchange::storable);
        } catch (IllegalArgumentException e) {
            throw new ApiException(400, String.valueOf(e.getMessage()));
        }
    }

    /** Whether a text is a single JSON value. */
    static boolean isOneValue(String text) {
        try (JsonParser in = FACTORY.createParser(ObjectReadContext.empty(), text)) {
            if (in.nextToken() == null) {
                return false;
            }
            in.skipChildren();
            return in.nextToken() == null;
        } catch (JacksonException e) {
            return false;
        }
    }

    /**
     * The same JSON with the values of these fields replaced, at any depth; numbers stay as they were written.
     *
     * @return {@code null} if the text is not JSON
     */
    static @Nullable String masked(String text, Predicate<String> masked) {
        StringWriter out = new StringWriter();
        try (JsonParser in = FACTORY.createParser(ObjectReadContext.empty(), text);
                JsonGenerator json = FACTORY.createGenerator(ObjectWriteContext.empty(), out)) {
            while (in.nextToken() != null) {
                if (in.currentToken() == JsonToken.PROPERTY_NAME && masked.test(in.currentName())) {
                    json.writeName(in.currentName());
                    in.nextToken();
                    in.skipChildren();
                    json.writeString(MASK);
                } else {
                    json.copyCurrentEventExact(in);
                }
            }
        } catch (JacksonException e) {
            return null;
        }
        return out.toString();
    }
}
