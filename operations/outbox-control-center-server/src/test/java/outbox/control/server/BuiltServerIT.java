package outbox.control.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jar that users run, with what is in it and nothing else on the class path. */
class BuiltServerIT {
    private static final Path TARGET = Path.of(System.getProperty("basedir", "."), "target");

    @TempDir
    private Path directory;

    @Test
    void theJarStartsServesItsPageAndEndsWhenItIsTold() throws Exception {
        int port = freePort();
        Path log = directory.resolve("log");
        Process server = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-jar",
                        jar().toString(),
                        "--server.port=" + port,
                        "--outbox.control-center.data-dir=" + directory.resolve("data"),
                        "--outbox.control-center.applications.orders.url=jdbc:h2:mem:orders"))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            await().atMost(Duration.ofMinutes(2))
                    .ignoreExceptions()
                    .failFast(
                            "the server ended",
                            () -> assertThat(server.isAlive())
                                    .as(Files.readString(log))
                                    .isTrue())
                    .until(() -> get(port, "api/v1/health").statusCode() == 200);
            assertThat(get(port, "").body()).contains("<html");
            assertThat(get(port, "runbooks/dead-letters.md").body()).startsWith("# dead-letters: ");
            server.destroy();
            assertThat(server.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            server.destroyForcibly();
        }
        assertThat(server.exitValue()).as("ended by SIGTERM").isEqualTo(143);
    }

    private static Path jar() throws IOException {
        try (Stream<Path> files = Files.list(TARGET)) {
            return files.filter(file -> file.toString().endsWith("-exec.jar"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static HttpResponse<String> get(int port, String path) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/outbox/" + path))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
