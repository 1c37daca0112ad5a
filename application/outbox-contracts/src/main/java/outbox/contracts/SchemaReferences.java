package outbox.contracts;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.BooleanNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Resolves the references of one contract. The same reference always returns the same object, so that callers can
 * detect cycles. Not thread-safe.
 */
final class SchemaReferences {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private final JsonNode root;
    private final IdentityHashMap<JsonNode, JsonNode> joined = new IdentityHashMap<>();
    private final IdentityHashMap<JsonNode, IdentityHashMap<JsonNode, JsonNode>> both = new IdentityHashMap<>();

    SchemaReferences(JsonNode root) {
        this.root = root;
    }

    /** The referenced schema combined with the sibling keywords of the reference: both apply. */
    JsonNode resolved(JsonNode schema) {
        JsonNode at = schema;
        Set<String> seen = new HashSet<>();
        while (at.isObject() && at.has("$ref")) {
            String reference = at.get("$ref").asString();
            JsonNode target = target(reference);
            if (!seen.add(reference) || target == null || target.isMissingNode()) {
                return at;
            }
            at = SchemaKeywords.SILENT.containsAll(at.propertyNames()) ? target : joined((ObjectNode) at, target);
        }
        return at;
    }

    @Nullable
    JsonNode target(String reference) {
        String fragment = URLDecoder.decode(reference.substring(1).replace("+", "%2B"), StandardCharsets.UTF_8);
        return fragment.isEmpty() || fragment.startsWith("/") ? root.at(fragment) : anchor(root, fragment);
    }

    private static @Nullable JsonNode anchor(JsonNode part, String name) {
        if (part.path("$anchor").asString("").equals(name)
                || part.path("$dynamicAnchor").asString("").equals(name)) {
            return part;
        }
        for (JsonNode child : part) {
            JsonNode found = anchor(child, name);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private JsonNode joined(ObjectNode referring, JsonNode target) {
        JsonNode known = joined.get(referring);
        if (known == null) {
            known = target.isBoolean() && !target.asBoolean()
                    ? target
                    : joinedObjects(referring, target instanceof ObjectNode object ? object : NODES.objectNode());
            joined.put(referring, known);
        }
        return known;
    }

    private ObjectNode joinedObjects(ObjectNode referring, ObjectNode target) {
        ObjectNode beside = NODES.objectNode().setAll(referring);
        beside.remove("$ref");
        beside.remove("properties");
        ObjectNode all = conjunction(target, beside);
        if (target.has("properties") || referring.has("properties")) {
            all.set("properties", properties(target, referring));
        }
        return all;
    }

    /** What one says of a property the other does not list is what it says of all it does not list. */
    private ObjectNode properties(ObjectNode one, ObjectNode other) {
        Set<String> names = new LinkedHashSet<>(one.path("properties").propertyNames());
        names.addAll(other.path("properties").propertyNames());
        ObjectNode all = NODES.objectNode();
        names.forEach(name -> all.set(name, both(property(one, name), property(other, name))));
        return all;
    }

    private static JsonNode property(ObjectNode schema, String name) {
        JsonNode listed = schema.path("properties").get(name);
        JsonNode others = schema.has("patternProperties") ? null : schema.get("additionalProperties");
        return listed != null ? listed : others != null ? others : BooleanNode.TRUE;
    }

    private JsonNode both(JsonNode one, JsonNode other) {
        if (one.equals(other) || allowsAll(other) || forbidsAll(one)) {
            return one;
        }
        if (allowsAll(one) || forbidsAll(other)) {
            return other;
        }
        return both.computeIfAbsent(one, key -> new IdentityHashMap<>())
                .computeIfAbsent(other, key -> conjunction((ObjectNode) one, (ObjectNode) other));
    }

    static boolean allowsAll(JsonNode schema) {
        return schema.isBoolean() ? schema.asBoolean() : schema.isObject() && schema.isEmpty();
    }

    static boolean forbidsAll(JsonNode schema) {
        return schema.isBoolean() && !schema.asBoolean();
    }

    /** One schema that says what two say; what cannot be put into the same keywords stands under {@code allOf}. */
    private ObjectNode conjunction(ObjectNode one, ObjectNode other) {
        ObjectNode all = NODES.objectNode().setAll(one);
        for (Map.Entry<String, JsonNode> keyword : other.properties()) {
            String name = keyword.getKey();
            if (name.equals("$ref") || !SchemaKeywords.SILENT.contains(name)) {
                JsonNode known = one.get(name);
                JsonNode tighter = known == null ? keyword.getValue() : tighter(name, known, keyword.getValue());
                if (tighter == null) {
                    return beside(one, other);
                }
                all.set(name, tighter);
            }
        }
        return all;
    }

    private static ObjectNode beside(ObjectNode one, ObjectNode other) {
        ObjectNode all = NODES.objectNode().setAll(one);
        all.set("allOf", concatenated(one.path("allOf"), NODES.arrayNode().add(other)));
        return all;
    }

    private @Nullable JsonNode tighter(String keyword, JsonNode one, JsonNode other) {
        if (one.equals(other)) {
            return one;
        }
        if (SchemaKeywords.LOWER_BOUNDS.contains(keyword) && one.isNumber() && other.isNumber()) {
            return one.decimalValue().compareTo(other.decimalValue()) < 0 ? other : one;
        }
        if (SchemaKeywords.UPPER_BOUNDS.contains(keyword) && one.isNumber() && other.isNumber()) {
            return one.decimalValue().compareTo(other.decimalValue()) > 0 ? other : one;
        }
        return switch (keyword) {
            case "type" -> commonTypes(one, other);
            case "enum" -> common(one, other);
            case "required", "allOf" -> concatenated(one, other);
            case "uniqueItems" -> BooleanNode.TRUE; // one of them
            case "additionalProperties", "items" -> one.isBoolean() || other.isBoolean() ? both(one, other) : null;
            default -> null;
        };
    }

    private static ArrayNode concatenated(JsonNode one, JsonNode other) {
        ArrayNode all = NODES.arrayNode();
        one.forEach(all::add);
        other.forEach(all::add);
        return all;
    }

    private static @Nullable ArrayNode common(JsonNode one, JsonNode other) {
        ArrayNode common = NODES.arrayNode();
        one.forEach(value -> other.forEach(same -> {
            if (value.equals(same)) {
                common.add(value);
            }
        }));
        return common.isEmpty() ? null : common;
    }

    private static @Nullable ArrayNode commonTypes(JsonNode one, JsonNode other) {
        ArrayNode common = NODES.arrayNode();
        Set<String> others = types(other);
        for (String type : types(one)) {
            if (others.contains(type) || (type.equals("integer") && others.contains("number"))) {
                common.add(type);
            } else if (type.equals("number") && others.contains("integer")) {
                common.add("integer");
            }
        }
        return common.isEmpty() ? null : common;
    }

    /** @param type the keyword's value: one name or several */
    static Set<String> types(JsonNode type) {
        Set<String> types = new LinkedHashSet<>();
        if (type.isString()) {
            types.add(type.asString());
        } else {
            type.forEach(one -> types.add(one.asString()));
        }
        return types;
    }
}
