package outbox.control.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.Error;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.SpecificationVersion;
import java.io.InputStream;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A client that knows the API only by its OpenAPI document: paths, parameters, headers, bodies and answers. It checks
 * every request and every answer against the document, and that the server refuses what the document forbids.
 */
final class DocumentedApi {
    private static final String STREAM = "text/event-stream";
    private static final SchemaRegistry SCHEMAS = SchemaRegistry.withDefaultDialect(
            SpecificationVersion.DRAFT_2020_12,
            registry -> registry.schemaCacheEnabled(false)
                    .schemaRegistryConfig(SchemaRegistryConfig.builder()
                            .formatAssertionsEnabled(true)
                            .build()));

    private final WebFixture web;
    private final String who;
    private final JsonNode document;
    private final Map<String, Operation> operations = new LinkedHashMap<>();
    private final Set<String> called = new TreeSet<>();

    private record Operation(String method, String path, JsonNode description) {
        JsonNode parameters() {
            return description.get("parameters");
        }

        @Nullable
        JsonNode requestSchema() {
            JsonNode body = description.get("requestBody");
            return body == null
                    ? null
                    : body.get("content").get("application/json").get("schema");
        }
    }

    DocumentedApi(WebFixture web, String who) throws Exception {
        this.web = web;
        this.who = who;
        this.document = JsonMapper.shared()
                .readTree(web.send("GET", "/api/v1/openapi.json", null, null).body());
        document.get("paths")
                .forEachEntry((path, methods) -> methods.forEachEntry((method, description) -> {
                    Operation operation = new Operation(method.toUpperCase(java.util.Locale.ROOT), path, description);
                    assertThat(operations.put(description.get("operationId").asString(), operation))
                            .as("%s is used once", description.get("operationId"))
                            .isNull();
                }));
    }

    /** Ids of all operations. */
    Set<String> operations() {
        return operations.keySet();
    }

    /** Ids of the operations that have succeeded. */
    Set<String> called() {
        return called;
    }

    /** Every schema of the document. */
    List<JsonNode> schemas() {
        List<JsonNode> all = new ArrayList<>();
        document.get("components").get("schemas").forEach(all::add);
        operations.values().forEach(operation -> {
            if (operation.requestSchema() != null) {
                all.add(operation.requestSchema());
            }
            operation
                    .description()
                    .get("responses")
                    .forEach(response -> response.get("content").forEach(content -> all.add(content.get("schema"))));
        });
        return all;
    }

    static List<Error> problemsOf(JsonNode schema) {
        return SCHEMAS.getSchema(SchemaLocation.of(SpecificationVersion.DRAFT_2020_12.getDialectId()))
                .validate(schema);
    }

    /** Values of a query parameter, if the document lists them. */
    Map<String, List<String>> listedValues(String operationId) {
        Map<String, List<String>> values = new LinkedHashMap<>();
        for (JsonNode parameter : operation(operationId).parameters()) {
            JsonNode listed = parameter.get("schema").get("enum");
            if (listed != null && parameter.get("in").asString().equals("query")) {
                List<String> all = new ArrayList<>();
                listed.forEach(value -> all.add(value.asString()));
                values.put(parameter.get("name").asString(), all);
            }
        }
        return values;
    }

    /**
     * @param parameters names and values
     * @return the answer; a text unless it is JSON
     */
    JsonNode call(String operationId, String... parameters) throws Exception {
        return exchange(operationId, null, parameters);
    }

    /** @param body a JSON text; each of its required fields is left out once, which the server must refuse */
    JsonNode callWith(String body, String operationId, String... parameters) throws Exception {
        return exchange(operationId, body, parameters);
    }

    private JsonNode exchange(String operationId, @Nullable String body, String... parameters) throws Exception {
        Operation operation = operation(operationId);
        JsonNode schema = operation.requestSchema();
        assertThat(schema != null).as("%s takes a body", operationId).isEqualTo(body != null);
        if (schema != null && body != null) {
            check(operationId + " request", schema, JsonMapper.shared().readTree(body));
            refusedWithout(operation, schema, body, parameters);
        }
        HttpResponse<InputStream> response = send(operation, body, parameters);
        JsonNode answers = operation.description().get("responses");
        JsonNode answer = answers.get(String.valueOf(response.statusCode()));
        String type = typeOf(response);
        if (answer == null) {
            throw new AssertionError(operationId + " answered " + response.statusCode() + ": " + textOf(response));
        }
        called.add(operationId);
        JsonNode content = answer.get("content").get(type);
        assertThat(content).as("%s answers %s", operationId, type).isNotNull();
        JsonNode value = read(response, type);
        check(operationId + " answer", content.get("schema"), value);
        return value;
    }

    /** A call that must be refused: the answer is an error as the document describes it. */
    JsonNode refused(int status, String operationId, @Nullable String body, String... parameters) throws Exception {
        Operation operation = operation(operationId);
        HttpResponse<InputStream> response = send(operation, body, parameters);
        assertThat(response.statusCode()).as(operationId + " " + body).isEqualTo(status);
        JsonNode error = read(response, typeOf(response));
        check(
                operationId + " error",
                operation
                        .description()
                        .get("responses")
                        .get("default")
                        .get("content")
                        .get("application/json")
                        .get("schema"),
                error);
        return error;
    }

    private void refusedWithout(Operation operation, JsonNode schema, String body, String... parameters)
            throws Exception {
        JsonNode required = schema.get("required");
        if (required == null) {
            return;
        }
        for (JsonNode name : required) {
            ObjectNode less = (ObjectNode) JsonMapper.shared().readTree(body);
            less.remove(name.asString());
            HttpResponse<InputStream> response = send(operation, less.toString(), parameters);
            assertThat(response.statusCode())
                    .as("%s %s without %s: %s", operation.method(), operation.path(), name, textOf(response))
                    .isEqualTo(400);
        }
    }

    private Operation operation(String operationId) {
        Operation operation = operations.get(operationId);
        assertThat(operation)
                .as("%s, one of %s", operationId, operations.keySet())
                .isNotNull();
        return operation;
    }

    private HttpResponse<InputStream> send(Operation operation, @Nullable String body, String... given)
            throws Exception {
        Map<String, String> values = new LinkedHashMap<>();
        for (int i = 0; i < given.length; i += 2) {
            values.put(given[i], given[i + 1]);
        }
        String path = operation.path();
        StringBuilder query = new StringBuilder();
        HttpRequest.BodyPublisher publisher =
                body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body);
        HttpRequest.Builder request = HttpRequest.newBuilder();
        for (JsonNode parameter : operation.parameters()) {
            String name = parameter.get("name").asString();
            String value = values.remove(name);
            switch (parameter.get("in").asString()) {
                case "path" -> path = path.replace("{" + name + "}", String.valueOf(value));
                case "header" -> request.header(name, value == null ? "test" : value);
                default -> {
                    if (value != null) {
                        query.append(query.isEmpty() ? "?" : "&").append(name).append("=");
                        query.append(URLEncoder.encode(value, StandardCharsets.UTF_8));
                    }
                }
            }
        }
        assertThat(values).as("parameters of %s", operation.path()).isEmpty();
        return web.client()
                .send(
                        request.uri(web.uri(path + query))
                                .header(WebFixture.WHO, who)
                                .method(operation.method(), publisher)
                                .build(),
                        HttpResponse.BodyHandlers.ofInputStream());
    }

    private static String typeOf(HttpResponse<?> response) {
        String type = response.headers().firstValue("Content-Type").orElse("(none)");
        return type.contains(";") ? type.substring(0, type.indexOf(';')) : type;
    }

    /** A stream has no end. */
    private static JsonNode read(HttpResponse<InputStream> response, String type) throws Exception {
        try (InputStream body = response.body()) {
            if (type.equals(STREAM)) {
                return text(new String(body.readNBytes(13), StandardCharsets.UTF_8));
            }
            String all = new String(body.readAllBytes(), StandardCharsets.UTF_8);
            return type.equals("application/json") ? JsonMapper.shared().readTree(all) : text(all);
        }
    }

    private static String textOf(HttpResponse<InputStream> response) throws Exception {
        return new String(response.body().readAllBytes(), StandardCharsets.UTF_8);
    }

    private static JsonNode text(String value) {
        return JsonMapper.shared().valueToTree(value);
    }

    /** Stricter than the document: a property that it does not name is an error. */
    private void check(String what, JsonNode schema, JsonNode value) {
        ObjectNode root = JsonMapper.shared().createObjectNode();
        root.set("$defs", document.get("components").get("schemas"));
        root.putArray("allOf").add(schema);
        JsonNode strict = JsonMapper.shared().readTree(root.toString().replace("#/components/schemas/", "#/$defs/"));
        forbidOthers(strict);
        assertThat(SCHEMAS.getSchema(strict).validate(value))
                .as("%s: %s", what, value)
                .isEmpty();
    }

    private static void forbidOthers(JsonNode schema) {
        if (schema instanceof ObjectNode object
                && object.get("properties") instanceof ObjectNode
                && object.get("type") != null
                && !object.has("additionalProperties")) {
            object.put("additionalProperties", false);
        }
        schema.forEach(DocumentedApi::forbidOthers);
    }
}
