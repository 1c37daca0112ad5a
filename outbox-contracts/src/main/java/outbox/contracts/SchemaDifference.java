package outbox.contracts;

import java.math.BigDecimal;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.BooleanNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Compares two schemas from a reader's side: does all that the new one allows keep what the old one promised? Where that
 * can not be decided (combinations, conditions, patterns that changed), it says so, which counts as a difference. What
 * the new one promises on top, and properties the old one did not know, are no difference, unless the old one forbade
 * others. Used once; not thread-safe.
 */
final class SchemaDifference {
    /** Keywords whose meaning depends on too much to compare: equal or different. */
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
            "unevaluatedProperties",
            "unevaluatedItems",
            "contentEncoding",
            "contentMediaType",
            "additionalItems",
            "$dynamicRef",
            "$recursiveRef",
            "$ref"); // one that could not be followed

    /** A smaller one promises less. */
    private static final List<String> LOWER_BOUNDS =
            List.of("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties");
    /** A larger one promises less. */
    private static final List<String> UPPER_BOUNDS =
            List.of("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties");

    private static final List<String> EXACT = List.of("pattern", "format", "multipleOf");

    /** Keywords that promise nothing themselves. */
    private static final Set<String> SILENT = Set.of(
            "$ref",
            "$defs",
            "definitions",
            "$id",
            "$schema",
            "$anchor",
            "$comment",
            "title",
            "description",
            "examples",
            "default",
            "deprecated",
            BreakingChange.ACCEPTED);

    private final JsonNode oldRoot;
    private final JsonNode newRoot;
    private final BiConsumer<String, String> found;
    private final IdentityHashMap<JsonNode, Set<JsonNode>> compared = new IdentityHashMap<>();
    private final IdentityHashMap<JsonNode, JsonNode> joined = new IdentityHashMap<>();

    /** @param found gets path and change */
    SchemaDifference(JsonNode oldRoot, JsonNode newRoot, BiConsumer<String, String> found) {
        this.oldRoot = oldRoot;
        this.newRoot = newRoot;
        this.found = found;
    }

    void run() {
        compare(oldRoot, newRoot, "");
    }

    private void compare(JsonNode oldSchema, JsonNode newSchema, String path) {
        JsonNode before = resolved(oldSchema, oldRoot);
        JsonNode after = resolved(newSchema, newRoot);
        if (before.isBoolean() || isEmpty(before)) {
            return; // it promised nothing, or that there is nothing
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
            if (old != null && !old.equals(after.get(keyword))) {
                report(path, keyword + " changed; whether readers notice has to be checked by hand");
            }
        }
    }

    private void report(String path, String change) {
        found.accept(path.isEmpty() ? "/" : path, change);
    }

    private static boolean isEmpty(JsonNode schema) {
        return schema.isObject() && schema.isEmpty();
    }

    /** The schema a reference leads to, together with what stands beside the reference: both hold. */
    private JsonNode resolved(JsonNode schema, JsonNode root) {
        JsonNode at = schema;
        Set<String> seen = new HashSet<>();
        while (at.isObject() && at.has("$ref")) {
            String reference = at.get("$ref").asString();
            JsonNode target = target(reference, root);
            if (!seen.add(reference) || target == null || target.isMissingNode()) {
                return at;
            }
            boolean alone = SILENT.containsAll(at.propertyNames()) || !target.isObject();
            at = alone ? target : joined((ObjectNode) at, (ObjectNode) target);
        }
        return at;
    }

    private static @Nullable JsonNode target(String reference, JsonNode root) {
        String fragment = URLDecoder.decode(reference.substring(1).replace("+", "%2B"), StandardCharsets.UTF_8);
        return fragment.isEmpty() || fragment.startsWith("/") ? root.at(fragment) : anchor(root, fragment);
    }

    private JsonNode joined(ObjectNode referring, ObjectNode target) {
        JsonNode known = joined.get(referring);
        if (known != null) {
            return known;
        }
        ObjectNode both = target.deepCopy();
        referring.properties().forEach(keyword -> {
            if (!SILENT.contains(keyword.getKey())) {
                both.set(keyword.getKey(), keyword.getValue());
            }
        });
        if (referring.has("properties") && target.has("properties")) {
            both.set("properties", merged(target.get("properties"), referring.get("properties")));
        }
        if (referring.has("required") && target.has("required")) {
            ArrayNode names = both.putArray("required");
            target.get("required").forEach(names::add);
            referring.get("required").forEach(names::add);
        }
        joined.put(referring, both);
        return both;
    }

    private static ObjectNode merged(JsonNode some, JsonNode others) {
        ObjectNode all = JsonNodeFactory.instance.objectNode();
        some.properties().forEach(one -> all.set(one.getKey(), one.getValue()));
        others.properties().forEach(one -> all.set(one.getKey(), one.getValue()));
        return all;
    }

    private static @Nullable JsonNode anchor(JsonNode part, String name) {
        JsonNode anchor = part.get("$anchor");
        if (anchor != null && anchor.asString().equals(name)) {
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

    private void types(JsonNode before, JsonNode after, String path) {
        Set<String> old = typesOf(before);
        if (old.isEmpty()) {
            return;
        }
        Set<String> now = typesOf(after);
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

    private static Set<String> typesOf(JsonNode schema) {
        Set<String> types = new LinkedHashSet<>();
        JsonNode type = schema.get("type");
        if (type != null && type.isString()) {
            types.add(type.asString());
        } else if (type != null) {
            type.forEach(one -> types.add(one.asString()));
        }
        return types;
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
            report(path, "may be " + added + " now, which readers do not know");
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
        LOWER_BOUNDS.forEach(keyword -> bound(before, after, path, keyword, 1));
        UPPER_BOUNDS.forEach(keyword -> bound(before, after, path, keyword, -1));
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
            if (other != null) {
                compare(property.getValue(), other, path + "/" + property.getKey());
            }
        }
        others(before, after, old, now, path);
    }

    private void others(JsonNode before, JsonNode after, JsonNode old, JsonNode now, String path) {
        JsonNode others = before.get("additionalProperties");
        if (others == null || (others.isBoolean() && others.asBoolean())) {
            return;
        }
        List<String> added = new ArrayList<>(now.propertyNames());
        added.removeAll(old.propertyNames());
        if (others.isBoolean() && !added.isEmpty()) {
            report(path, "has new properties " + added + ", and no others were allowed");
        }
        JsonNode otherNow = after.get("additionalProperties");
        compareOthers(others, otherNow == null ? BooleanNode.TRUE : otherNow, path);
        if (!others.isBoolean()) {
            added.forEach(name -> compare(others, now.get(name), path + "/" + name));
        }
    }

    private void compareOthers(JsonNode others, JsonNode otherNow, String path) {
        boolean forbiddenNow = otherNow.isBoolean() && !otherNow.asBoolean();
        if (others.isBoolean() && !forbiddenNow) {
            report(path, "may have properties that are not listed, and none were allowed");
        } else if (!others.isBoolean() && !forbiddenNow) {
            compare(others, otherNow, path + "/*");
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
        JsonNode old = before.get("items");
        if (old == null) {
            return;
        }
        JsonNode now = after.get("items");
        if (old.isArray() || (now != null && now.isArray())) { // the tuples of older drafts
            if (!old.equals(now)) {
                report(path + "/[]", "items changed; whether readers notice has to be checked by hand");
            }
            return;
        }
        compare(old, now == null ? BooleanNode.TRUE : now, path + "/[]");
    }
}
