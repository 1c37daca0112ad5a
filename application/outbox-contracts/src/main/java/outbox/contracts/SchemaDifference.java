package outbox.contracts;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.BooleanNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * Compares two schemas from a reader's point of view: does everything the new one allows satisfy the old one? If that
 * cannot be decided (changed combinations, conditions, patterns), it is reported as a difference. Stricter rules and
 * new properties are no difference, unless the old schema forbade additional properties. Used once; not thread-safe.
 */
final class SchemaDifference {
    /** Keywords that are too complex to compare: only checked for equality. */
    private static final List<String> OPAQUE = List.of(
            "allOf",
            "anyOf",
            "oneOf",
            "not",
            "if",
            "then",
            "else",
            "dependentRequired",
            "dependentSchemas",
            "dependencies",
            "patternProperties",
            "propertyNames",
            "prefixItems",
            "contains",
            "minContains",
            "maxContains",
            "contentEncoding",
            "contentMediaType",
            "additionalItems",
            "$dynamicRef",
            "$recursiveRef",
            "$ref"); // an unresolved reference

    private static final List<String> EXACT = List.of("pattern", "format", "multipleOf");

    /** Keywords whose schemas list properties and items too, as {@code unevaluated…} sees it. */
    private static final List<String> EVALUATING =
            List.of("allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas", "contains", "$dynamicRef");

    private final JsonNode oldRoot;
    private final JsonNode newRoot;
    private final BiConsumer<String, String> found;
    private final IdentityHashMap<JsonNode, Set<JsonNode>> compared = new IdentityHashMap<>();
    private final SchemaReferences oldReferences;
    private final SchemaReferences newReferences;

    /** @param found gets path and change */
    SchemaDifference(JsonNode oldRoot, JsonNode newRoot, BiConsumer<String, String> found) {
        this.oldRoot = oldRoot;
        this.newRoot = newRoot;
        this.found = found;
        this.oldReferences = new SchemaReferences(oldRoot);
        this.newReferences = new SchemaReferences(newRoot);
    }

    void run() {
        compare(oldRoot, newRoot, "");
    }

    private void compare(JsonNode oldSchema, JsonNode newSchema, String path) {
        JsonNode before = oldReferences.resolved(oldSchema);
        JsonNode after = newReferences.resolved(newSchema);
        if (SchemaReferences.allowsAll(before)) {
            return; // it promised nothing
        }
        if (SchemaReferences.forbidsAll(before)) {
            if (!SchemaReferences.forbidsAll(after)) {
                report(path, "was never there and may be now");
            }
            return;
        }
        if (after.isBoolean()) {
            if (after.asBoolean()) {
                report(path, "anything is allowed now");
            }
            return;
        }
        Set<JsonNode> others =
                compared.computeIfAbsent(before, key -> Collections.newSetFromMap(new IdentityHashMap<>()));
        if (!others.add(after)) {
            return; // a schema that contains itself
        }
        types(before, after, path);
        values(before, after, path);
        bounds(before, after, path);
        properties(before, after, path);
        items(before, after, path);
        for (String keyword : OPAQUE) {
            JsonNode old = before.get(keyword);
            if (old != null && !same(keyword, old, after.get(keyword))) {
                report(path, keyword + " changed; check manually whether this breaks readers");
            }
        }
    }

    private boolean same(String keyword, JsonNode old, @Nullable JsonNode now) {
        return now != null && new SameSchema(oldReferences, newReferences).test(keyword, old, now);
    }

    private void report(String path, String change) {
        found.accept(path.isEmpty() ? "/" : path, change);
    }

    private void types(JsonNode before, JsonNode after, String path) {
        Set<String> old = SchemaReferences.types(before.path("type"));
        if (old.isEmpty()) {
            return;
        }
        Set<String> now = SchemaReferences.types(after.path("type"));
        if (now.isEmpty()) {
            report(path, "was " + String.join(" or ", old) + " and may be anything now");
            return;
        }
        Set<String> added = new LinkedHashSet<>(now);
        added.removeAll(old);
        if (old.contains("number")) {
            added.remove("integer");
        }
        if (!added.isEmpty()) {
            report(path, "was " + String.join(" or ", old) + " and may be " + String.join(" or ", added) + " now");
        }
    }

    private void values(JsonNode before, JsonNode after, String path) {
        Set<JsonNode> old = valuesOf(before);
        if (old == null) {
            return;
        }
        Set<JsonNode> now = valuesOf(after);
        if (now == null) {
            report(path, "had to be one of " + old + " and may have other values now");
            return;
        }
        Set<JsonNode> added = new LinkedHashSet<>(now);
        added.removeAll(old);
        if (!added.isEmpty()) {
            report(path, "may be " + added + " now, which is unknown to readers");
        }
    }

    private static @Nullable Set<JsonNode> valuesOf(JsonNode schema) {
        JsonNode constant = schema.get("const");
        if (constant != null) {
            return Set.of(constant);
        }
        JsonNode listed = schema.get("enum");
        if (listed == null) {
            return null;
        }
        Set<JsonNode> values = new LinkedHashSet<>();
        listed.forEach(values::add);
        return values;
    }

    private void bounds(JsonNode before, JsonNode after, String path) {
        SchemaKeywords.LOWER_BOUNDS.forEach(keyword -> bound(before, after, path, keyword, 1));
        SchemaKeywords.UPPER_BOUNDS.forEach(keyword -> bound(before, after, path, keyword, -1));
        for (String keyword : EXACT) {
            JsonNode old = before.get(keyword);
            if (old != null && !old.equals(after.get(keyword))) {
                report(path, keyword + " was " + old + " and is " + shown(after.get(keyword)) + " now");
            }
        }
        if (before.path("uniqueItems").asBoolean(false)
                && !after.path("uniqueItems").asBoolean(false)) {
            report(path, "items were unique and need not be now");
        }
        if (before.has("contains")
                && !before.has("minContains")
                && after.path("minContains").asInt(1) == 0) {
            report(path, "had one item that matches contains and need not have it now");
        }
    }

    private void bound(JsonNode before, JsonNode after, String path, String keyword, int direction) {
        BigDecimal old = number(before.get(keyword));
        BigDecimal now = number(after.get(keyword));
        if (old != null && (now == null || now.compareTo(old) * direction < 0)) {
            report(path, keyword + " was " + old + " and is " + (now == null ? "gone" : now) + " now");
        }
    }

    private static @Nullable BigDecimal number(@Nullable JsonNode node) {
        return node != null && node.isNumber() ? node.decimalValue() : null;
    }

    private static String shown(@Nullable JsonNode node) {
        return node == null ? "gone" : node.toString();
    }

    private void properties(JsonNode before, JsonNode after, String path) {
        JsonNode old = objectAt(before, "properties");
        JsonNode now = objectAt(after, "properties");
        Set<String> required = required(after);
        for (String name : new TreeSet<>(required(before))) {
            if (!now.has(name) && old.has(name)) {
                report(path + "/" + name, "was always there and is gone");
            } else if (!required.contains(name)) {
                report(path + "/" + name, "was always there and may be missing now");
            }
        }
        for (Map.Entry<String, JsonNode> property : old.properties()) {
            JsonNode other = now.get(property.getKey());
            if (other == null && SchemaReferences.forbidsAll(property.getValue())) {
                other = rest(after, "additionalProperties", "unevaluatedProperties");
            }
            if (other != null) {
                compare(property.getValue(), other, path + "/" + property.getKey());
            }
        }
        others(before, after, old, now, path);
    }

    /** What was said of properties that are not listed, against all that need not be listed any more to be there. */
    private void others(JsonNode before, JsonNode after, JsonNode old, JsonNode now, String path) {
        JsonNode others = rest(before, "additionalProperties", "unevaluatedProperties");
        if (SchemaReferences.allowsAll(others)) {
            return;
        }
        List<String> added = new ArrayList<>(now.propertyNames());
        added.removeAll(old.propertyNames());
        added.removeIf(name -> SchemaReferences.forbidsAll(now.get(name)));
        if (others.isBoolean() && !added.isEmpty()) {
            report(path, "has new properties " + added + ", and no others were allowed");
        } else {
            added.forEach(name -> compare(others, now.get(name), path + "/" + name));
        }
        if (!before.has("patternProperties")) {
            objectAt(after, "patternProperties")
                    .properties()
                    .forEach(pattern -> compare(others, pattern.getValue(), path + "/" + pattern.getKey()));
        }
        if (before.has("additionalProperties")) {
            JsonNode otherNow = after.get("additionalProperties");
            compareOthers(others, otherNow == null ? BooleanNode.TRUE : otherNow, path);
        } else {
            compareOthers(others, rest(after, "additionalProperties", "unevaluatedProperties"), path);
            evaluating(before, after, "unevaluatedProperties", path);
        }
    }

    private static JsonNode rest(JsonNode schema, String additional, String unevaluated) {
        JsonNode rest = schema.has(additional) ? schema.get(additional) : schema.get(unevaluated);
        return rest == null ? BooleanNode.TRUE : rest;
    }

    private void evaluating(JsonNode before, JsonNode after, String unevaluated, String path) {
        for (String keyword : EVALUATING) {
            if (after.has(keyword) && !before.has(keyword)) {
                report(
                        path,
                        keyword + " is new beside " + unevaluated + "; check manually whether this breaks readers");
            }
        }
    }

    private void compareOthers(JsonNode others, JsonNode otherNow, String path) {
        if (!SchemaReferences.forbidsAll(others)) {
            compare(others, otherNow, path + "/*");
        } else if (!SchemaReferences.forbidsAll(otherNow)) {
            report(path, "may have properties that are not listed, and none were allowed");
        }
    }

    private static JsonNode objectAt(JsonNode schema, String keyword) {
        JsonNode node = schema.get(keyword);
        return node != null && node.isObject() ? node : JsonNodeFactory.instance.objectNode();
    }

    private static Set<String> required(JsonNode schema) {
        Set<String> names = new LinkedHashSet<>();
        JsonNode required = schema.get("required");
        if (required != null) {
            required.forEach(name -> names.add(name.asString()));
        }
        return names;
    }

    private void items(JsonNode before, JsonNode after, String path) {
        JsonNode old = rest(before, "items", "unevaluatedItems");
        JsonNode now = rest(after, "items", before.has("items") ? "items" : "unevaluatedItems");
        if (SchemaReferences.allowsAll(old)) {
            return;
        }
        if (old.isArray() || now.isArray()) { // the tuples of older drafts
            if (!same("items", old, now)) {
                report(path + "/[]", "items changed; check manually whether this breaks readers");
            }
            return;
        }
        if (!before.has("prefixItems")) {
            after.path("prefixItems").forEach(item -> compare(old, item, path + "/[]"));
        }
        compare(old, now, path + "/[]");
        if (!before.has("items")) {
            evaluating(before, after, "unevaluatedItems", path);
        }
    }
}
