package outbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Against a server that says what the test wants. */
@Timeout(120)
class OpsStartTest {
    private static final String OPERATIONS = "/outbox/api/v1/apps/orders/operations";

    @TempDir
    private Path directory;

    private final List<String> asked = new CopyOnWriteArrayList<>();
    private HttpServer server;
    private volatile String dryRun = "";

    @BeforeEach
    void start() throws Exception {
        server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/", exchange -> {
            String path = exchange.getRequestURI().getPath();
            asked.add(path);
            byte[] body = (path.endsWith("/dry-run") ? dryRun : "{\"id\":\"01X\",\"state\":\"collecting\"}")
                    .getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private Run retry() throws Exception {
        Path token = Files.writeString(directory.resolve("token"), "obx_test\n");
        return Run.of(
                "ops",
                "start",
                "retry",
                "--server",
                "http://127.0.0.1:" + server.getAddress().getPort() + "/outbox",
                "--app",
                "orders",
                "--token-file",
                token.toString(),
                "--error",
                "timeout",
                "-m",
                "receiver is back",
                "--yes");
    }

    @Test
    void whereCountingEndedBeforeTheFirstMatchTheWorkBeginsAllTheSame() throws Exception {
        dryRun = "{\"count\":0,\"more\":true,\"sample\":[]}";
        Run run = retry();
        assertThat(run.code()).as(run.all()).isZero();
        assertThat(run.err()).contains("0 or more events");
        assertThat(asked).containsExactly(OPERATIONS + "/dry-run", OPERATIONS);
    }

    @Test
    void whereNothingMatchesNothingIsStarted() throws Exception {
        dryRun = "{\"count\":0,\"more\":false,\"sample\":[]}";
        assertThat(retry().code()).isZero();
        assertThat(asked).containsExactly(OPERATIONS + "/dry-run");
    }
}
