package outbox.cli;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** Client of the control center's API. Errors become a {@link CliException} with a message and an exit code. */
final class Api {
    private static final String PREFIX = "/api/v1";
    private static final String UNKNOWN_TOKEN =
            "it does not accept the API token. A control center embedded in an application accepts those of its property"
                    + " outbox.control-center.tokens";

    private final URI server;
    private final @Nullable String token;
    private final Duration timeout;
    private final HttpClient client;

    Api(URI server, @Nullable String token, Duration timeout) {
        this.server = server;
        this.token = token;
        this.timeout = timeout;
        this.client = HttpClient.newBuilder().connectTimeout(timeout).build();
    }

    /** @param path below the prefix; encode variable parts with {@link #segment} */
    JsonNode get(String path, Map<String, String> query) {
        String parameters = query.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + segment(entry.getValue()))
                .collect(Collectors.joining("&"));
        return send("GET", parameters.isEmpty() ? path : path + "?" + parameters, null);
    }

    JsonNode get(String path) {
        return get(path, Map.of());
    }

    JsonNode post(String path, Map<String, ?> body) {
        return send("POST", path, Screen.JSON.writeValueAsString(body));
    }

    JsonNode delete(String path, Map<String, ?> body) {
        return send("DELETE", path, Screen.JSON.writeValueAsString(body));
    }

    static String segment(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20");
    }

    String onlyApplication() {
        JsonNode session = get("/session");
        if (session.path("operator").isNull()) {
            throw notLoggedIn();
        }
        JsonNode applications = session.path("applications");
        List<String> names = applications
                .valueStream()
                .map(application -> application.path("name").asString(""))
                .toList();
        if (names.size() == 1) {
            return names.get(0);
        }
        throw new CliException(
                ExitCode.CANNOT_RUN,
                names.isEmpty()
                        ? "the token has no access to any application"
                        : "there are " + names.size() + " applications; choose one with --app: "
                                + Printable.line(String.join(", ", names)));
    }

    private JsonNode send(String method, String path, @Nullable String body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create(server.toString().replaceAll("/+$", "") + PREFIX + path))
                .timeout(timeout)
                .header("Accept", "application/json")
                .header("X-Outbox-Request", "cli")
                .method(
                        method,
                        body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body));
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        try {
            HttpResponse<String> response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
            return answer(response);
        } catch (HttpConnectTimeoutException | ConnectException e) {
            throw new CliException(
                    ExitCode.CANNOT_RUN,
                    "cannot connect to " + server
                            + ": is the control center running there? Set another address with --server or OUTBOX_SERVER");
        } catch (HttpTimeoutException e) {
            throw new CliException(
                    ExitCode.CANNOT_RUN,
                    server + " did not answer within " + timeout.toSeconds() + " s; change the limit with --timeout");
        } catch (IOException e) {
            throw new CliException(ExitCode.CANNOT_RUN, "cannot communicate with " + server + ": " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CliException(ExitCode.CANNOT_RUN, "interrupted");
        }
    }

    private CliException notLoggedIn() {
        return new CliException(
                ExitCode.NOT_LOGGED_IN,
                token == null
                        ? "this needs an API token: set OUTBOX_TOKEN, or use --token-file or --ask-token"
                        : "the API token is wrong or has expired; an admin can create a new one in the control center");
    }

    /** A control center rejects every other path before it checks the token. */
    private CliException notAControlCenter(HttpResponse<String> response, String how) {
        return new CliException(
                ExitCode.REFUSED,
                server + " answered " + response.statusCode() + " " + how
                        + ": is this the address of a control center, with its path, such as https://host/outbox?");
    }

    /** The host application's security redirects unknown callers to its login page. */
    private CliException sentElsewhere(HttpResponse<String> response) {
        String location =
                Printable.line(response.headers().firstValue("Location").orElse("nowhere"));
        if (location.contains(PREFIX + "/")) {
            return new CliException(
                    ExitCode.REFUSED,
                    server + " answered " + response.statusCode() + " and has moved to " + location
                            + ": use that address with --server or OUTBOX_SERVER");
        }
        return new CliException(
                ExitCode.NOT_LOGGED_IN,
                server + " answered " + response.statusCode() + " with a redirect to " + location
                        + ", probably a login page: " + (token == null ? "this needs an API token" : UNKNOWN_TOKEN));
    }

    private JsonNode answer(HttpResponse<String> response) {
        if (response.statusCode() / 100 == 3) {
            throw sentElsewhere(response);
        }
        JsonNode body;
        try {
            body = Screen.JSON.readTree(response.body().isBlank() ? "{}" : response.body());
        } catch (JacksonException e) {
            throw notAControlCenter(response, "without JSON");
        }
        if (response.statusCode() / 100 == 2) {
            return body;
        }
        if (response.statusCode() == 401 && body.path("error").isMissingNode()) {
            throw notAControlCenter(response, "without an error message");
        }
        String error = Printable.line(body.path("error").asString("no reason given"));
        throw switch (response.statusCode()) {
            case 400 -> new CliException(ExitCode.CANNOT_RUN, error); // wrong usage that only the server knows
            case 401 -> notLoggedIn();
            case 403 -> new CliException(ExitCode.FORBIDDEN, error);
            case 404 -> new CliException(ExitCode.NOT_FOUND, error);
            default -> new CliException(ExitCode.REFUSED, error + " (" + response.statusCode() + ")");
        };
    }
}
