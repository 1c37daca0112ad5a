package outbox.control.http;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import outbox.control.source.AttemptReader;

/** The OpenAPI document, generated from the routes and {@link ApiShapes}. */
final class OpenApi {
    private static final Pattern PART = Pattern.compile("\\{(\\w+)}");
    private static final String ERROR = "Error";

    /** Query parameters that are not any text. */
    private static final Map<String, Map<String, Object>> QUERY = Map.of(
            "size", Schemas.integer(),
            "limit", Schemas.integer(1, ExportRoutes.MAX_EVENTS),
            "action", Schemas.oneOf(AttemptReader.SEND_FAILED, AttemptReader.FAILED_PERMANENT),
            "order", Schemas.oneOf("newest", "oldest"),
            "format", Schemas.oneOf("ndjson", "csv"),
            "range", Schemas.oneOf(HistoryRoutes.RANGES.keySet().toArray()));

    private final ApiShapes shapes = new ApiShapes();

    private OpenApi() {}

    static Map<String, Object> document(List<Route> routes) {
        return new OpenApi().describe(routes);
    }

    private Map<String, Object> describe(List<Route> routes) {
        Map<String, Map<String, Object>> paths = new TreeMap<>();
        for (Route route : routes) {
            paths.computeIfAbsent("/api/v1" + route.path(), path -> new LinkedHashMap<>())
                    .put(route.method().toLowerCase(Locale.ROOT), operation(route));
        }
        Map<String, Object> schemas = new TreeMap<>(shapes.named());
        schemas.put(
                ERROR,
                Schemas.fields()
                        .with("status", Schemas.integer())
                        .with("error", Schemas.text())
                        .schema());
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("openapi", "3.1.0");
        document.put("info", Map.of("title", "Outbox control center", "version", "1"));
        document.put("paths", paths);
        document.put(
                "components",
                Map.of(
                        "schemas",
                        schemas,
                        "securitySchemes",
                        Map.of("token", Map.of("type", "http", "scheme", "bearer"))));
        return document;
    }

    private Map<String, Object> operation(Route route) {
        ApiShapes.Shape shape = shapes.of(route);
        Map<String, Object> operation = new LinkedHashMap<>();
        operation.put("operationId", id(route));
        operation.put("summary", route.summary());
        operation.put("parameters", parameters(route));
        operation.put("security", route.isOpen() ? List.of() : List.of(Map.of("token", List.of())));
        if (route.permission() != null) {
            operation.put("x-permission", route.permission());
        }
        if (shape.request() != null) {
            operation.put(
                    "requestBody", Map.of("required", isRequired(shape.request()), "content", json(shape.request())));
        }
        operation.put("responses", responses(route, shape));
        return operation;
    }

    private static boolean isRequired(Map<String, Object> request) {
        return request.containsKey("required");
    }

    private static List<Object> parameters(Route route) {
        List<Object> parameters = new ArrayList<>();
        Matcher parts = PART.matcher(route.path());
        while (parts.find()) {
            parameters.add(parameter(parts.group(1), "path", true, Schemas.text()));
        }
        route.query()
                .forEach(name ->
                        parameters.add(parameter(name, "query", false, QUERY.getOrDefault(name, Schemas.text()))));
        if (route.isChange()) {
            parameters.add(parameter(SameOrigin.HEADER, "header", true, Schemas.text()));
        }
        return parameters;
    }

    private static Map<String, Object> parameter(String name, String in, boolean required, Map<String, Object> schema) {
        return Map.of("name", name, "in", in, "required", required, "schema", schema);
    }

    private static Map<String, Object> responses(Route route, ApiShapes.Shape shape) {
        Map<String, Object> content = new LinkedHashMap<>();
        shape.content().forEach((type, schema) -> content.put(type, Map.of("schema", schema)));
        Map<String, Object> responses = new LinkedHashMap<>();
        responses.put(String.valueOf(shape.status()), Map.of("description", "success", "content", content));
        if (route.path().equals(HealthRoutes.PATH)) {
            responses.put("503", Map.of("description", "the database cannot be reached", "content", content));
        }
        responses.put(
                "default",
                Map.of(
                        "description",
                        "refused or failed",
                        "content",
                        json(Map.of("$ref", "#/components/schemas/" + ERROR))));
        return responses;
    }

    private static Map<String, Object> json(Map<String, Object> schema) {
        return Map.of(ApiShapes.JSON, Map.of("schema", schema));
    }

    /** Such as {@code getAppsByAppEventsById}. */
    private static String id(Route route) {
        StringBuilder id = new StringBuilder(route.method().toLowerCase(Locale.ROOT));
        for (String part : route.path().split("[/.-]", -1)) {
            boolean variable = part.startsWith("{");
            String word = variable ? part.substring(1, part.length() - 1) : part;
            if (!word.isEmpty()) {
                id.append(variable ? "By" : "")
                        .append(word.substring(0, 1).toUpperCase(Locale.ROOT))
                        .append(word.substring(1));
            }
        }
        return id.toString();
    }
}
