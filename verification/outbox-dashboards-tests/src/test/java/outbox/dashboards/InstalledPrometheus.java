package outbox.dashboards;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A Prometheus of the system, with files and a port of its own. */
final class InstalledPrometheus implements AutoCloseable {
    static final String PROGRAM = "prometheus";
    static final String INSTALL = "apt-get install prometheus";

    private final HttpClient http = HttpClient.newHttpClient();
    private final Process process;
    private final String address;

    private InstalledPrometheus(Process process, String address) {
        this.process = process;
        this.address = address;
    }

    /** Ends the test as not run where there is no Prometheus; fails it where one is required. */
    static void require() {
        boolean required = List.of(
                        System.getProperty("outbox.test.required", "").split(","))
                .contains(PROGRAM);
        Assumptions.assumeTrue(required || find(PROGRAM).isPresent(), "NOT RUN: needs Prometheus; " + INSTALL);
        program(PROGRAM);
    }

    static Path program(String name) {
        return find(name)
                .orElseThrow(() -> new IllegalStateException(name + " is required here and not installed: " + INSTALL));
    }

    private static Optional<Path> find(String name) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .map(directory -> Path.of(directory, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** @param configuration what is in {@code prometheus.yml} */
    static InstalledPrometheus start(Path directory, String configuration) throws IOException {
        Path file = Files.writeString(directory.resolve("prometheus.yml"), configuration);
        int port = freePort();
        Process process = new ProcessBuilder(
                        program(PROGRAM).toString(),
                        "--config.file=" + file,
                        "--storage.tsdb.path=" + directory.resolve("data"),
                        "--web.listen-address=127.0.0.1:" + port)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("prometheus.log").toFile())
                .start();
        InstalledPrometheus prometheus = new InstalledPrometheus(process, "http://127.0.0.1:" + port);
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .failFast("Prometheus ended; see " + directory, () -> !process.isAlive())
                .ignoreExceptions()
                .until(() -> prometheus.get("/-/ready").statusCode() == 200);
        return prometheus;
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** The values of an instant query. */
    List<Double> query(String expression) {
        return data("/api/v1/query?query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8))
                .path("result")
                .valueStream()
                .map(sample -> sample.path("value").get(1).asString())
                .map(value -> switch (value) {
                    case "+Inf" -> Double.POSITIVE_INFINITY;
                    case "-Inf" -> Double.NEGATIVE_INFINITY;
                    default -> Double.valueOf(value);
                })
                .toList();
    }

    /** An alert that fires now. */
    Optional<JsonNode> firing(String name) {
        return data("/api/v1/alerts")
                .path("alerts")
                .valueStream()
                .filter(alert -> alert.at("/labels/alertname").asString().equals(name))
                .filter(alert -> alert.path("state").asString().equals("firing"))
                .findFirst();
    }

    private JsonNode data(String path) {
        try {
            String body = get(path).body();
            JsonNode json = JsonMapper.shared().readTree(body);
            if (!json.path("status").asString().equals("success")) {
                throw new AssertionError(path + ": " + body);
            }
            return json.path("data");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private HttpResponse<String> get(String path) throws IOException {
        try {
            return http.send(
                    HttpRequest.newBuilder(URI.create(address + path)).build(), HttpResponse.BodyHandlers.ofString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    @Override
    public void close() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
    }
}
