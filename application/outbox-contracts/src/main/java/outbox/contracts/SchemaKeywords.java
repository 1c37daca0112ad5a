package outbox.contracts;

import java.util.List;
import java.util.Set;

/** Categories of schema keywords for comparisons. */
final class SchemaKeywords {
    /** A smaller value is less strict. */
    static final List<String> LOWER_BOUNDS =
            List.of("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties");
    /** A larger value is less strict. */
    static final List<String> UPPER_BOUNDS =
            List.of("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties");

    /** Keywords with schemas, or lists, under names of the payload's own. */
    static final Set<String> BY_NAME =
            Set.of("properties", "patternProperties", "dependentSchemas", "dependentRequired", "dependencies");

    /** Keywords whose value is data of the payload, not a schema. */
    static final Set<String> DATA = Set.of("const", "enum");

    /** Keywords without constraints. */
    static final Set<String> SILENT = Set.of(
            "$ref",
            "$defs",
            "definitions",
            "$id",
            "$schema",
            "$anchor",
            "$dynamicAnchor",
            "$recursiveAnchor",
            "$comment",
            "title",
            "description",
            "examples",
            "default",
            "deprecated",
            BreakingChange.ACCEPTED);

    private SchemaKeywords() {}
}
