package outbox.xxljob.admin;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Requests to the first admin that answers, logged in when they need it. Thread-safe. */
final class AdminSession {
    private static final Duration CONNECT = Duration.ofSeconds(3);
    private static final Duration ANSWER = Duration.ofSeconds(10);
    private static final int OK = 200;

    private final HttpClient http = HttpClient.newBuilder()
            .connectTimeout(CONNECT)
            .followRedirects(HttpClient.Redirect.NEVER) // a redirect is a request to log in
            .build();
    private final List<String> addresses;
    private final String user;
    private final String password;
    private final AdminApi wanted;
    private @Nullable Login login; // guarded by this

    AdminSession(List<String> addresses, String user, String password, AdminApi wanted) {
        this.addresses = addresses;
        this.user = user;
        this.password = password;
        this.wanted = wanted;
    }

    /** @param api never {@code AUTO} */
    record Login(String address, AdminApi api, String cookie) {}

    /** Logs in if it has not yet. */
    synchronized Login login() {
        Login known = login;
        if (known == null) {
            known = logIn();
            login = known;
        }
        return known;
    }

    private synchronized void forget(Login old) {
        if (old.equals(login)) {
            login = null;
        }
    }

    private Login logIn() {
        XxlJobAdminException away = null;
        for (String address : addresses) {
            try {
                return logInAt(address);
            } catch (IOException e) {
                away = new XxlJobAdminException("the XXL-Job admin " + address + " cannot be reached: " + e, e);
            }
        }
        throw away == null ? new XxlJobAdminException("no address of an XXL-Job admin is set") : away;
    }

    private Login logInAt(String address) throws IOException {
        if (wanted == AdminApi.AUTO || wanted == AdminApi.FROM_3_3 || wanted == AdminApi.FROM_3_5) {
            Login found = logInAt(address, "/auth/doLogin", wanted == AdminApi.AUTO ? AdminApi.FROM_3_3 : wanted);
            if (found != null) {
                return found;
            }
        }
        Login found = wanted == AdminApi.AUTO || wanted == AdminApi.UP_TO_3_2
                ? logInAt(address, "/login", AdminApi.UP_TO_3_2)
                : null;
        if (found == null) {
            throw new IOException(
                    "it has no login of the API " + wanted + "; check its version and the path of its URL");
        }
        return found;
    }

    /** @return {@code null} if the admin does not have this route */
    private @Nullable Login logInAt(String address, String path, AdminApi api) throws IOException {
        HttpResponse<String> response = send(form(address + path, Map.of("userName", user, "password", password), ""));
        JsonObject answer = json(response);
        if (answer == null) {
            if (response.statusCode() >= 500) {
                throw new IOException("it answered " + response.statusCode());
            }
            return null;
        }
        if (code(answer) != OK) {
            throw new XxlJobAdminException(
                    "the XXL-Job admin " + address + " refused the login of user '" + user + "': " + message(answer));
        }
        String cookie = response.headers().allValues("Set-Cookie").stream()
                .map(line -> line.split(";", 2)[0])
                .collect(Collectors.joining("; "));
        return new Login(address, api, cookie);
    }

    /** A form behind the login. Logs in again if the session has ended, or if another admin has to take over. */
    JsonObject form(String path, Map<String, String> fields) {
        return logged(login -> form(login.address() + path, fields, login.cookie()), path);
    }

    /** A request of the JSON API, which needs no session but the address that answers. */
    JsonObject json(String path, String body, Map<String, String> headers) {
        return logged(
                login -> {
                    HttpRequest.Builder request = request(login.address() + path)
                            .header("Content-Type", "application/json;charset=UTF-8")
                            .POST(HttpRequest.BodyPublishers.ofString(body));
                    headers.forEach(request::header);
                    return request.build();
                },
                path);
    }

    private interface Request {
        HttpRequest of(Login login);
    }

    private JsonObject logged(Request request, String path) {
        Login login = login();
        JsonObject answer = attempt(login, request);
        if (answer == null) {
            forget(login);
            login = login();
            answer = attempt(login, request);
        }
        if (answer == null) {
            forget(login);
            throw new XxlJobAdminException("the XXL-Job admin " + login.address() + " did not answer " + path
                    + " with JSON; check its version and the rights of user '" + user + "'");
        }
        if (answer.has("code") && code(answer) != OK) {
            throw new XxlJobAdminException(
                    "the XXL-Job admin " + login.address() + " refused " + path + ": " + message(answer));
        }
        return answer;
    }

    /** @return {@code null} if the session has ended, or the admin is away before it got the request */
    private @Nullable JsonObject attempt(Login login, Request request) {
        try {
            return json(send(request.of(login)));
        } catch (java.net.ConnectException e) {
            return null;
        } catch (IOException e) {
            forget(login);
            throw new XxlJobAdminException(
                    "the XXL-Job admin " + login.address() + " cannot be reached: " + e, e); // it may have done it
        }
    }

    private HttpResponse<String> send(HttpRequest request) throws IOException {
        try {
            return http.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private static HttpRequest form(String url, Map<String, String> fields, String cookie) {
        String body = fields.entrySet().stream()
                .map(field -> encoded(field.getKey()) + "=" + encoded(field.getValue()))
                .collect(Collectors.joining("&"));
        HttpRequest.Builder request = request(url)
                .header("Content-Type", "application/x-www-form-urlencoded; charset=UTF-8")
                .POST(HttpRequest.BodyPublishers.ofString(body));
        return cookie.isEmpty()
                ? request.build()
                : request.header("Cookie", cookie).build();
    }

    private static HttpRequest.Builder request(String url) {
        return HttpRequest.newBuilder(URI.create(url)).timeout(ANSWER).header("X-Requested-With", "XMLHttpRequest");
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static @Nullable JsonObject json(HttpResponse<String> response) {
        if (response.statusCode() != OK) {
            return null;
        }
        try {
            JsonElement body = JsonParser.parseString(response.body());
            return body.isJsonObject() ? body.getAsJsonObject() : null;
        } catch (JsonParseException e) {
            return null;
        }
    }

    private static int code(JsonObject answer) {
        JsonElement code = answer.get("code");
        return code == null || !code.isJsonPrimitive() ? 0 : code.getAsInt();
    }

    private static String message(JsonObject answer) {
        JsonElement message = answer.get("msg");
        return message == null || message.isJsonNull() ? "code " + code(answer) : message.getAsString();
    }
}
