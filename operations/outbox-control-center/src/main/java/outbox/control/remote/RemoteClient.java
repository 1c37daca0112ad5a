package outbox.control.remote;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import outbox.control.json.JsonObjects;

/**
 * Sends requests to one application. It connects only to the configured URL and follows no redirects. Time, size and
 * number of concurrent requests are limited. Thread-safe.
 */
final class RemoteClient {
    /** Requests beyond these are refused at once, so that a slow application does not take all threads of the server. */
    static final int MAX_CONCURRENT = 16;

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(3);
    private static final Set<String> TYPES = Set.of("application/json", "application/x-ndjson", "text/csv");
    private static final Pattern FILE = Pattern.compile("attachment; filename=\"([A-Za-z0-9._-]+)\"");
    private static final String JSON = "application/json";

    private final RemoteApplication application;
    private final HttpClient http;
    private final Semaphore slots = new Semaphore(MAX_CONCURRENT);

    RemoteClient(RemoteApplication application) {
        this.application = application;
        Duration timeout = application.timeout();
        this.http = HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.NEVER)
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(timeout.compareTo(CONNECT_TIMEOUT) < 0 ? timeout : CONNECT_TIMEOUT)
                .build();
    }

    /** For users: bounded in number. */
    RemoteCall.Answer sendIfFree(RemoteCall call) throws RemoteException {
        if (!slots.tryAcquire()) {
            throw new RemoteException(
                    503,
                    MAX_CONCURRENT + " requests to '" + application.name()
                            + "' are already waiting for an answer; not executed, try again later");
        }
        try {
            return send(call);
        } finally {
            slots.release();
        }
    }

    Map<String, @Nullable Object> get(String path) throws RemoteException {
        RemoteCall.Answer answer = send(RemoteCall.get(path));
        if (answer.status() != 200) {
            throw new RemoteException(502, "its API answered " + answer.status() + " to GET " + path);
        }
        try {
            return JsonObjects.read(new ByteArrayInputStream(answer.body()), text -> text);
        } catch (IllegalArgumentException e) {
            throw new RemoteException(502, "its API did not answer with JSON to GET " + path, e);
        }
    }

    private RemoteCall.Answer send(RemoteCall call) throws RemoteException {
        byte[] body = call.body();
        HttpRequest.Builder request = HttpRequest.newBuilder(application.api(call.path()))
                .method(
                        call.method(),
                        body == null
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofByteArray(body))
                .header("Authorization", "Bearer " + application.token())
                .header("X-Outbox-Request", "1")
                .header(RemoteCall.FORWARDED, "1")
                .header("Accept", "application/json, application/x-ndjson, text/csv");
        if (body != null) {
            request.header("Content-Type", JSON);
        }
        call.headers().forEach(request::header);
        CompletableFuture<HttpResponse<byte[]>> sent = http.sendAsync(request.build(), info -> new LimitedBody());
        try {
            return usable(sent.get(application.timeout().toNanos(), TimeUnit.NANOSECONDS));
        } catch (TimeoutException e) {
            sent.cancel(true);
            throw new RemoteException(
                    504, "no answer within " + application.timeout().toMillis() + " ms" + doubt(call), e);
        } catch (InterruptedException e) {
            sent.cancel(true);
            Thread.currentThread().interrupt();
            throw new RemoteException(503, "the control center is stopping" + doubt(call), e);
        } catch (ExecutionException e) {
            throw failure(call, Objects.requireNonNullElse(e.getCause(), e));
        }
    }

    private static RemoteException failure(RemoteCall call, Throwable cause) {
        if (cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException) {
            return new RemoteException(503, "cannot connect to it", cause);
        }
        if (cause instanceof IOException) {
            return new RemoteException(
                    502, "the connection failed (" + cause.getClass().getSimpleName() + ")" + doubt(call), cause);
        }
        return new RemoteException(
                502, "the request failed (" + cause.getClass().getSimpleName() + ")", cause);
    }

    /** A change may have been made although its answer got lost. */
    private static String doubt(RemoteCall call) {
        return call.isChange() ? "; it may have been executed, check before you try again" : "";
    }

    private static RemoteCall.Answer usable(HttpResponse<byte[]> response) throws RemoteException {
        int status = response.statusCode();
        if (status == 401) { // must not look as if the user were logged out
            throw new RemoteException(502, "its API does not accept the token");
        }
        if (status >= 300 && status < 400) {
            throw new RemoteException(
                    502, "its API answered with a redirect (" + status + "), which is not followed; check the API URL");
        }
        String type = response.headers().firstValue("Content-Type").orElse("").toLowerCase(Locale.ROOT);
        int parameters = type.indexOf(';');
        type = (parameters < 0 ? type : type.substring(0, parameters)).strip();
        if (!TYPES.contains(type)) {
            throw new RemoteException(
                    502, "its API answered " + status + " without JSON; check the API URL and the path in it");
        }
        Matcher file = FILE.matcher(
                response.headers().firstValue("Content-Disposition").orElse(""));
        return new RemoteCall.Answer(status, type, file.matches() ? file.group(1) : null, response.body());
    }
}
