package outbox.contracts;

import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaException;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.SpecificationVersion;
import com.networknt.schema.path.NodePath;
import com.networknt.schema.path.PathType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The schema of one version of an event type: a JSON Schema, or one of another {@link ContractLanguage}. It is
 * self-contained: nothing else is loaded. Immutable and thread-safe.
 */
public final class EventContract {
    private static final SchemaRegistry SCHEMAS = SchemaRegistry.withDefaultDialect(
            SpecificationVersion.DRAFT_2020_12,
            registry -> registry.schemaCacheEnabled(false)
                    .schemaRegistryConfig(SchemaRegistryConfig.builder()
                            .formatAssertionsEnabled(true)
                            .preloadSchema(true) // before the first event
                            .locale(Locale.ENGLISH)
                            .pathType(PathType.JSON_POINTER)
                            .build()));

    private final String eventType;
    private final int version;
    private final ContractSchema contract;

    /** @throws InvalidContractException if it is not a JSON Schema, or not self-contained */
    EventContract(String eventType, int version, String schemaJson) {
        this.eventType = eventType;
        this.version = version;
        JsonNode node;
        try {
            node = JsonMapper.shared().readTree(schemaJson);
        } catch (JacksonException e) {
            throw invalid("it is not JSON: " + e.getOriginalMessage(), e);
        }
        refuseVersion();
        if (!node.isObject()) {
            throw invalid("it is not an object", null);
        }
        refuseForeignReferences(node);
        refuseBrokenSchema(node);
        Schema schema = usableSchema(node);
        this.contract = new JsonContract(node, payload -> problemsOf(schema, payload));
    }

    /** @throws InvalidContractException if it is no schema of that language */
    EventContract(String eventType, int version, ContractLanguage language, byte[] file) {
        this.eventType = eventType;
        this.version = version;
        refuseVersion();
        try {
            this.contract = language.parse(file);
        } catch (IllegalArgumentException e) {
            throw invalid(String.valueOf(e.getMessage()), e);
        }
    }

    private void refuseVersion() {
        if (version < 1) {
            throw invalid("versions begin with 1", null);
        }
    }

    private void refuseForeignReferences(JsonNode part) {
        for (String keyword : List.of("$ref", "$dynamicRef")) {
            JsonNode reference = part.get(keyword);
            if (reference != null
                    && reference.isString()
                    && !reference.asString().startsWith("#")) {
                throw invalid(
                        "it refers to '" + reference.asString() + "'; a contract must be self-contained, put this under"
                                + " $defs and refer to #/$defs/…",
                        null);
            }
        }
        part.forEach(this::refuseForeignReferences);
    }

    private void refuseBrokenSchema(JsonNode node) {
        JsonNode dialect = node.get("$schema");
        String id = dialect == null ? SpecificationVersion.DRAFT_2020_12.getDialectId() : dialect.asString();
        if (SpecificationVersion.fromDialectId(id).isEmpty()) {
            throw invalid("its $schema '" + id + "' is not supported; omit it for draft 2020-12", null);
        }
        List<Error> errors = SCHEMAS.getSchema(SchemaLocation.of(id)).validate(node);
        if (!errors.isEmpty()) {
            throw invalid("it is not a valid JSON Schema: " + described(errors), null);
        }
    }

    /** Resolves every reference now: a missing or circular reference would fail the first event. */
    private Schema usableSchema(JsonNode node) {
        try {
            Schema made = SCHEMAS.getSchema(node);
            made.initializeValidators();
            for (JsonNode anything : JsonMapper.shared().readTree("[{}, [], \"\", 0, true, null]")) {
                made.validate(anything);
            }
            return made;
        } catch (SchemaException e) {
            throw invalid(String.valueOf(e.getMessage()), e);
        } catch (StackOverflowError e) {
            throw invalid("it contains a circular reference", e);
        }
    }

    private InvalidContractException invalid(String why, @Nullable Throwable cause) {
        return new InvalidContractException("contract " + this + " cannot be used: " + why, cause);
    }

    public String eventType() {
        return eventType;
    }

    public int version() {
        return version;
    }

    /** The schema in its language. */
    ContractSchema schema() {
        return contract;
    }

    /** {@code null} if it is not a JSON Schema. */
    @Nullable
    JsonNode node() {
        return contract instanceof JsonContract json ? json.node() : null;
    }

    /**
     * The JSON Schema as it was given.
     *
     * @throws IllegalStateException if the contract is in another language
     */
    public String schemaJson() {
        JsonNode node = node();
        if (node == null) {
            throw new IllegalStateException("contract " + this + " is not a JSON Schema");
        }
        return node.toString();
    }

    /**
     * The violations of an event's payload: location and rule, never the value.
     *
     * @return empty if the payload is valid
     */
    public List<String> problemsOf(EventEnvelope event) {
        return contract.problemsOf(event);
    }

    /** The same for a JSON text. */
    public List<String> problemsOf(String payloadJson) {
        return problemsOf(EventEnvelope.ofJson(eventType, payloadJson));
    }

    private static List<String> problemsOf(Schema schema, String payloadJson) {
        JsonNode payload;
        try {
            payload = JsonMapper.shared().readTree(payloadJson);
        } catch (JacksonException e) {
            return List.of("the payload is not JSON");
        }
        return described(schema.validate(payload));
    }

    private static List<String> described(List<Error> errors) {
        List<String> lines = new ArrayList<>(errors.size());
        for (Error error : errors) {
            NodePath place = error.getInstanceLocation();
            String at = place == null || place.toString().isEmpty() ? "/" : place.toString();
            lines.add(at + " " + error.getMessage());
        }
        return lines;
    }

    @Override
    public String toString() {
        return eventType + " v" + version;
    }
}
