package outbox.xxljob;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The admin's side of the protocol, simulated: it answers what an executor sends and calls an executor as the admin does. The
 * real admin is a server of its own and is not published as an artifact.
 */
final class FakeAdmin implements AutoCloseable {
    static final String TOKEN_HEADER = "XXL-JOB-ACCESS-TOKEN";

    /** Of all runs: an executor keeps logs by day, and midnight may come between a run and a look at its log. */
    private static final long LOG_TIME = System.currentTimeMillis();

    private final String token;
    private final HttpServer server;
    private final HttpClient http = HttpClient.newHttpClient();
    private final List<Call> calls = new CopyOnWriteArrayList<>();
    private final AtomicLong logIds = new AtomicLong();

    /** What an executor sent. */
    record Call(String path, String token, String body) {}

    FakeAdmin(String token) throws IOException {
        this.token = token;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/xxl-job-admin/api/", this::answer);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/xxl-job-admin";
    }

    private void answer(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        calls.add(new Call(
                exchange.getRequestURI().getPath().replace("/xxl-job-admin/api/", ""),
                exchange.getRequestHeaders().getFirst(TOKEN_HEADER),
                body));
        byte[] answer = "{\"code\":200,\"msg\":null,\"data\":null}".getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, answer.length);
        exchange.getResponseBody().write(answer);
        exchange.close();
    }

    List<Call> calls(String path) {
        return calls.stream().filter(call -> call.path().equals(path)).toList();
    }

    /** The body of the callback for a run, or empty. */
    String callbackOf(long logId) {
        return calls("callback").stream()
                .map(Call::body)
                .filter(body -> body.contains("\"logId\":" + logId + ","))
                .findFirst()
                .orElse("");
    }

    String call(String executor, String path, String body) throws IOException, InterruptedException {
        return call(executor, path, body, token);
    }

    String call(String executor, String path, String body, String withToken) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(executor + path))
                .header("Content-Type", "application/json;charset=UTF-8")
                .header(TOKEN_HEADER, withToken)
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }

    /** Triggers a job in bean mode. @return the id under which its log and its callback are found */
    long run(String executor, int jobId, String handler, String parameter) throws IOException, InterruptedException {
        long logId = logIds.incrementAndGet();
        String answer = call(executor, "run", trigger(jobId, handler, parameter, logId));
        if (code(answer) != 200) {
            throw new AssertionError(answer);
        }
        return logId;
    }

    static String trigger(int jobId, String handler, String parameter, long logId) {
        return """
                {"jobId": %d, "executorHandler": "%s", "executorParams": "%s", "executorBlockStrategy": "SERIAL_EXECUTION",
                 "executorTimeout": 0, "logId": %d, "logDateTime": %d, "glueType": "BEAN", "glueSource": "",
                 "glueUpdatetime": 0, "broadcastIndex": 0, "broadcastTotal": 1}
                """.formatted(jobId, handler, parameter, logId, LOG_TIME);
    }

    String log(String executor, long logId) throws IOException, InterruptedException {
        return log(executor, logId, 1);
    }

    /** A page of the log of a run, as the admin asks for it while the run goes on. */
    String log(String executor, long logId, int fromLine) throws IOException, InterruptedException {
        return call(executor, "log", """
                {"logDateTim": %d, "logId": %d, "fromLineNum": %d}
                """.formatted(LOG_TIME, logId, fromLine));
    }

    static int code(String answer) {
        Matcher code = Pattern.compile("\"code\":(\\d+)").matcher(answer);
        if (!code.find()) {
            throw new AssertionError("no code in " + answer);
        }
        return Integer.parseInt(code.group(1));
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
