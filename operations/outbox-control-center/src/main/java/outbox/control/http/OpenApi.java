package outbox.control.http;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The API document, made of the routes themselves. */
final class OpenApi {
    private static final Pattern PART = Pattern.compile("\\{(\\w+)}");

    private OpenApi() {}

    static Map<String, Object> document(List<Route> routes) {
        Map<String, Map<String, Object>> paths = new TreeMap<>();
        for (Route route : routes) {
            paths.computeIfAbsent("/api/v1" + route.path(), path -> new LinkedHashMap<>())
                    .put(route.method().toLowerCase(Locale.ROOT), operation(route));
        }
        return Map.of(
                "openapi",
                "3.1.0",
                "info",
                Map.of("title", "Outbox control center", "version", "1"),
                "paths",
                paths,
                "components",
                Map.of("securitySchemes", Map.of("token", Map.of("type", "http", "scheme", "bearer"))));
    }

    private static Map<String, Object> operation(Route route) {
        Map<String, Object> operation = new LinkedHashMap<>();
        operation.put("summary", route.summary());
        List<Object> parameters = new ArrayList<>();
        Matcher parts = PART.matcher(route.path());
        while (parts.find()) {
            parameters.add(parameter(parts.group(1), "path", true));
        }
        route.query().forEach(name -> parameters.add(parameter(name, "query", false)));
        if (route.isChange()) {
            parameters.add(parameter(SameOrigin.HEADER, "header", true));
        }
        operation.put("parameters", parameters);
        operation.put("security", route.isOpen() ? List.of() : List.of(Map.of("token", List.of())));
        if (route.permission() != null) {
            operation.put("x-permission", route.permission());
        }
        operation.put("responses", Map.of("default", Map.of("description", "JSON; failures are {status, error}")));
        return operation;
    }

    private static Map<String, Object> parameter(String name, String in, boolean required) {
        return Map.of("name", name, "in", in, "required", required, "schema", Map.of("type", "string"));
    }
}
