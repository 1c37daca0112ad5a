package outbox.control.json;

import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** Converts JSON objects to maps, lists, strings, longs, doubles and booleans. Stateless, thread-safe. */
public final class JsonObjects {
    private static final JsonFactory FACTORY = new JsonFactory();

    private JsonObjects() {}

    /**
     * @param texts applied to every string value; what it throws is thrown
     * @throws IllegalArgumentException if it is not one JSON object
     */
    public static Map<String, @Nullable Object> read(InputStream in, UnaryOperator<String> texts) {
        try (JsonParser json = FACTORY.createParser(ObjectReadContext.empty(), in)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw new IllegalArgumentException("the body must be a JSON object");
            }
            @SuppressWarnings("unchecked")
            Map<String, @Nullable Object> body =
                    (Map<String, @Nullable Object>) Objects.requireNonNull(value(json, texts));
            return body;
        } catch (JacksonException e) {
            throw new IllegalArgumentException("the body is not valid JSON: " + e.getOriginalMessage(), e);
        }
    }

    private static @Nullable Object value(JsonParser json, UnaryOperator<String> texts) {
        return switch (json.currentToken()) {
            case START_OBJECT -> {
                Map<String, @Nullable Object> object = new LinkedHashMap<>();
                while (json.nextToken() != JsonToken.END_OBJECT) {
                    String name = json.currentName();
                    json.nextToken();
                    object.put(name, value(json, texts));
                }
                yield object;
            }
            case START_ARRAY -> {
                List<@Nullable Object> array = new ArrayList<>();
                while (json.nextToken() != JsonToken.END_ARRAY) {
                    array.add(value(json, texts));
                }
                yield array;
            }
            case VALUE_STRING -> texts.apply(json.getString());
            case VALUE_NUMBER_INT -> json.getLongValue();
            case VALUE_NUMBER_FLOAT -> json.getDoubleValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            default -> null;
        };
    }
}
