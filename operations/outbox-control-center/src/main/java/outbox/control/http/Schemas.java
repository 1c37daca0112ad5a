package outbox.control.http;

import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * JSON schemas of what {@link Json} writes. A record becomes a named schema with its components, so it cannot differ
 * from the answers that contain it. Not thread-safe.
 */
final class Schemas {
    private static final String REFERENCE = "#/components/schemas/";

    private final Map<String, Object> named = new TreeMap<>();

    /** All named schemas so far. */
    Map<String, Object> named() {
        return named;
    }

    /** A record by reference. */
    Map<String, Object> of(Class<? extends Record> type) {
        String name = nameOf(type);
        if (!named.containsKey(name)) {
            named.put(name, Map.of()); // for records that contain themselves
            Fields fields = fields();
            for (RecordComponent component : type.getRecordComponents()) {
                fields.with(component.getName(), of(component.getAnnotatedType()));
            }
            named.put(name, fields.schema());
        }
        return Map.of("$ref", REFERENCE + name);
    }

    /** With the name of the class it is nested in. */
    private static String nameOf(Class<?> type) {
        Class<?> outer = type.getEnclosingClass();
        return (outer == null ? "" : outer.getSimpleName()) + type.getSimpleName();
    }

    private Map<String, Object> of(AnnotatedType type) {
        Map<String, Object> schema = of(type.getType(), type);
        return type.isAnnotationPresent(Nullable.class) ? nullable(schema) : schema;
    }

    private Map<String, Object> of(Type type, AnnotatedType annotated) {
        if (type instanceof ParameterizedType generic && annotated instanceof AnnotatedParameterizedType parts) {
            AnnotatedType[] arguments = parts.getAnnotatedActualTypeArguments();
            Class<?> raw = (Class<?>) generic.getRawType();
            if (Collection.class.isAssignableFrom(raw)) {
                return list(of(arguments[0]));
            }
            if (Map.class.isAssignableFrom(raw)) {
                return mapOf(of(arguments[1]));
            }
        }
        if (type == String.class) {
            return text();
        }
        if (type == Instant.class) {
            return time();
        }
        if (type == boolean.class || type == Boolean.class) {
            return flag();
        }
        if (type == int.class || type == long.class || type == Integer.class || type == Long.class) {
            return integer();
        }
        if (type == double.class || type == Double.class) {
            return number();
        }
        if (type instanceof Class<?> other && other.isEnum()) {
            return oneOf(other.getEnumConstants());
        }
        if (type instanceof Class<?> other && other.isRecord()) {
            return of(other.asSubclass(Record.class));
        }
        throw new IllegalArgumentException("no JSON form for " + type);
    }

    static Map<String, Object> text() {
        return Map.of("type", "string");
    }

    static Map<String, Object> time() {
        return Map.of("type", "string", "format", "date-time");
    }

    static Map<String, Object> flag() {
        return Map.of("type", "boolean");
    }

    static Map<String, Object> integer() {
        return Map.of("type", "integer", "format", "int64");
    }

    static Map<String, Object> integer(int min, int max) {
        return Map.of("type", "integer", "minimum", min, "maximum", max);
    }

    static Map<String, Object> number() {
        return Map.of("type", "number");
    }

    /** Enum constants or texts, in lower case as {@link Json} writes them. */
    static Map<String, Object> oneOf(Object... values) {
        return Map.of(
                "type",
                "string",
                "enum",
                Arrays.stream(values)
                        .map(value -> String.valueOf(value).toLowerCase(Locale.ROOT))
                        .toList());
    }

    static Map<String, Object> list(Map<String, Object> items) {
        return Map.of("type", "array", "items", items);
    }

    /** An object with any names. */
    static Map<String, Object> mapOf(Map<String, Object> values) {
        return Map.of("type", "object", "additionalProperties", values);
    }

    static Map<String, Object> nullable(Map<String, Object> schema) {
        Object type = schema.get("type");
        if (!(type instanceof String) || schema.containsKey("enum")) {
            return Map.of("anyOf", List.of(schema, Map.of("type", "null")));
        }
        Map<String, Object> either = new LinkedHashMap<>(schema);
        either.put("type", List.of(type, "null"));
        return either;
    }

    static Fields fields() {
        return new Fields();
    }

    /** The properties of an object. */
    static final class Fields {
        private final Map<String, Object> properties = new LinkedHashMap<>();
        private final List<String> required = new ArrayList<>();

        /** A required property. */
        Fields with(String name, Map<String, Object> schema) {
            required.add(name);
            return maybe(name, schema);
        }

        /** An optional property. */
        Fields maybe(String name, Map<String, Object> schema) {
            properties.put(name, schema);
            return this;
        }

        Map<String, Object> schema() {
            Map<String, Object> schema = new LinkedHashMap<>();
            schema.put("type", "object");
            schema.put("properties", properties);
            if (!required.isEmpty()) {
                schema.put("required", required);
            }
            return schema;
        }
    }
}
