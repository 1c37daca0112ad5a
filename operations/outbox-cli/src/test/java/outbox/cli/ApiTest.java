package outbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Against a server that knows nobody, as a control center answers then. */
@Timeout(120)
class ApiTest {
    private static final String SESSION = "/outbox/api/v1/session";

    @TempDir
    private Path directory;

    private HttpServer server;

    @BeforeEach
    void start() throws Exception {
        server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/", exchange -> {
            boolean session = exchange.getRequestURI().getPath().equals(SESSION);
            byte[] body = (session ? "{\"operator\":null,\"login\":true}" : "").getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(session ? 200 : 401, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private Run list(String path, String token, String... more) throws Exception {
        Path file = Files.writeString(directory.resolve("token"), token);
        String[] args = {
            "events",
            "ls",
            "--server",
            "http://127.0.0.1:" + server.getAddress().getPort() + path,
            "--token-file",
            file.toString()
        };
        String[] all = java.util.Arrays.copyOf(args, args.length + more.length);
        System.arraycopy(more, 0, all, args.length, more.length);
        return Run.of(all);
    }

    @Test
    void aWrongTokenIsOneAlsoWhereNoApplicationIsNamed() throws Exception {
        Run run = list("/outbox", "obx_wrong");
        assertThat(run.code()).isEqualTo(ExitCode.NOT_LOGGED_IN);
        assertThat(run.err()).contains("the API token is wrong");
    }

    @Test
    void anAddressWithoutItsPathIsNotTakenForAWrongToken() throws Exception {
        Run run = list("", "obx_right", "--app", "orders");
        assertThat(run.code()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err()).contains("with its path").doesNotContain("token");
    }

    @Test
    void aLoginPageInTheWaySaysWhichTokensAreKnownThere() throws Exception {
        sendsTo("/login");
        Run run = list("/shop", "obx_wrong", "--app", "orders");
        assertThat(run.code()).isEqualTo(ExitCode.NOT_LOGGED_IN);
        assertThat(run.err())
                .contains("answered 302 with a redirect to /login")
                .contains("outbox.control-center.tokens")
                .doesNotContain("obx_wrong", "no reason given");
    }

    @Test
    void anAddressThatHasMovedIsNamed() throws Exception {
        sendsTo("https://shop.example.com/shop/api/v1/session");
        Run run = list("/shop", "obx_right");
        assertThat(run.code()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err()).contains("has moved to https://shop.example.com/shop/api/v1/session");
    }

    private void sendsTo(String location) {
        server.createContext("/shop", exchange -> {
            exchange.getResponseHeaders().set("Location", location);
            exchange.sendResponseHeaders(302, -1);
            exchange.close();
        });
    }

    @Test
    void aFileThatHoldsMoreThanATokenIsRefusedAndNotShown() throws Exception {
        Run run = list("/outbox", "obx_secret\nsecond line");
        assertThat(run.code()).isEqualTo(ExitCode.NOT_LOGGED_IN);
        assertThat(run.err()).contains("line break").doesNotContain("obx_secret", "Exception");
    }

    @Test
    void whereThereAreSeveralApplicationsTheirNamesAreListed() throws Exception {
        answers(
                "/several",
                200,
                "{\"operator\":\"token:ci\",\"applications\":[{\"name\":\"orders\",\"act\":true},{\"name\":\"billing\"}]}");
        Run run = list("/several", "obx_right");
        assertThat(run.code()).isEqualTo(ExitCode.CANNOT_RUN);
        assertThat(run.err())
                .contains("there are 2 applications; choose one with --app: orders, billing")
                .doesNotContain("{", "\"");
    }

    @Test
    void whatOnlyTheServerKnowsToBeWrongIsWrongUsageToo() throws Exception {
        answers("/strict", 400, "{\"status\":400,\"error\":\"unknown state 'deda'; states are new, retry\"}");
        Run run = list("/strict", "obx_right", "--app", "orders", "--state", "deda");
        assertThat(run.code()).isEqualTo(ExitCode.CANNOT_RUN);
        assertThat(run.err()).isEqualTo("outbox: unknown state 'deda'; states are new, retry" + System.lineSeparator());
    }

    private void answers(String path, int status, String json) {
        server.createContext(path, exchange -> {
            byte[] body = json.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
    }

    @Test
    void aLimitOfNothingIsWrongUsage() throws Exception {
        Run run = list("/outbox", "obx_right", "--limit", "0");
        assertThat(run.code()).isEqualTo(ExitCode.CANNOT_RUN);
        assertThat(run.err()).contains("--limit must be 1 or more, not 0");
    }
}
