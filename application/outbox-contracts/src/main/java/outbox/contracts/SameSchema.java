package outbox.contracts;

import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.function.BiPredicate;
import tools.jackson.databind.JsonNode;

/**
 * Whether two schemas are equal after resolving references; titles and other annotations are ignored. Used once; not
 * thread-safe.
 */
final class SameSchema {
    private final SchemaReferences oldReferences;
    private final SchemaReferences newReferences;
    private final IdentityHashMap<JsonNode, Set<JsonNode>> assumed = new IdentityHashMap<>();

    SameSchema(SchemaReferences oldReferences, SchemaReferences newReferences) {
        this.oldReferences = oldReferences;
        this.newReferences = newReferences;
    }

    /** @param keyword whose values these are */
    boolean test(String keyword, JsonNode old, JsonNode now) {
        if (SchemaKeywords.DATA.contains(keyword)) {
            return old.equals(now);
        }
        if (SchemaKeywords.BY_NAME.contains(keyword) && old.isObject() && now.isObject()) {
            return new HashSet<>(old.propertyNames()).equals(new HashSet<>(now.propertyNames()))
                    && old.propertyNames().stream().allMatch(name -> schemas(old.get(name), now.get(name)));
        }
        if (keyword.equals("$dynamicRef") || keyword.equals("$recursiveRef")) {
            return old.equals(now) && targets(old.asString());
        }
        return schemas(old, now);
    }

    private boolean targets(String reference) {
        JsonNode old = oldReferences.target(reference);
        JsonNode now = newReferences.target(reference);
        return old != null && now != null && schemas(old, now);
    }

    private boolean schemas(JsonNode oldSchema, JsonNode newSchema) {
        JsonNode old = oldReferences.resolved(oldSchema);
        JsonNode now = newReferences.resolved(newSchema);
        if (old.isArray() && now.isArray()) {
            return old.size() == now.size() && pairwise(old, now, this::schemas);
        }
        if (!old.isObject() || !now.isObject()) {
            return old.equals(now);
        }
        boolean seen = !assumed.computeIfAbsent(old, key -> Collections.newSetFromMap(new IdentityHashMap<>()))
                .add(now);
        Set<String> keywords = keywords(old);
        return seen // a recursive schema: equal if the rest is
                || (keywords.equals(keywords(now))
                        && keywords.stream().allMatch(keyword -> test(keyword, old.get(keyword), now.get(keyword))));
    }

    private static boolean pairwise(JsonNode old, JsonNode now, BiPredicate<JsonNode, JsonNode> same) {
        for (int i = 0; i < old.size(); i++) {
            if (!same.test(old.get(i), now.get(i))) {
                return false;
            }
        }
        return true;
    }

    private static Set<String> keywords(JsonNode schema) {
        Set<String> keywords = new HashSet<>(schema.propertyNames());
        keywords.removeIf(name -> !name.equals("$ref") && SchemaKeywords.SILENT.contains(name));
        return keywords;
    }
}
