package outbox.spring.boot.idempotent;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** A client that repeats its requests. */
final class Client {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final int port;

    Client(int port) {
        this.port = port;
    }

    /** A request to be completed and sent. */
    final class Call {
        private final HttpRequest.Builder request;

        private Call(String path) {
            this.request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                    .timeout(PATIENCE);
        }

        Call key(String key) {
            return header("Idempotency-Key", key);
        }

        Call header(String name, String value) {
            request.header(name, value);
            return this;
        }

        Call user(String name) {
            return header(
                    "Authorization",
                    "Basic " + Base64.getEncoder().encodeToString((name + ":pw").getBytes(StandardCharsets.UTF_8)));
        }

        HttpResponse<String> json(String body) throws Exception {
            return body("application/json", body);
        }

        HttpResponse<String> body(String type, String body) throws Exception {
            request.header("Content-Type", type).POST(BodyPublishers.ofString(body));
            return HTTP.send(request.build(), BodyHandlers.ofString());
        }

        HttpResponse<String> method(String method) throws Exception {
            request.method(method, BodyPublishers.noBody());
            return HTTP.send(request.build(), BodyHandlers.ofString());
        }
    }

    Call to(String path) {
        return new Call(path);
    }

    /** As the draft of the header says: again after Retry-After, while the first request is in progress. */
    HttpResponse<String> untilAnswered(String path, String key, String body) throws Exception {
        while (true) {
            HttpResponse<String> answer = to(path).key(key).json(body);
            if (answer.statusCode() != 409) {
                return answer;
            }
            Thread.sleep(Duration.ofSeconds(Long.parseLong(
                            answer.headers().firstValue("Retry-After").orElseThrow()))
                    .toMillis());
        }
    }

    /** All at the same moment. */
    List<HttpResponse<String>> together(int callers, String path, String key, String body) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(callers);
        try {
            CyclicBarrier start = new CyclicBarrier(callers);
            List<Future<HttpResponse<String>>> answers = new ArrayList<>();
            for (int i = 0; i < callers; i++) {
                answers.add(threads.submit(() -> {
                    start.await();
                    return untilAnswered(path, key, body);
                }));
            }
            List<HttpResponse<String>> done = new ArrayList<>();
            for (Future<HttpResponse<String>> answer : answers) {
                done.add(answer.get());
            }
            return done;
        } finally {
            threads.shutdownNow();
        }
    }

    static @Nullable String header(HttpResponse<String> answer, String name) {
        return answer.headers().firstValue(name).orElse(null);
    }

    static boolean isReplayed(HttpResponse<String> answer) {
        return "true".equals(header(answer, "Idempotent-Replayed"));
    }
}
