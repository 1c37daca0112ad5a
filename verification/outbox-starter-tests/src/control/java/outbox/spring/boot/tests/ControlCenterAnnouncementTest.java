package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import outbox.spring.boot.tests.ControlCenterApps.LoginForm;
import outbox.spring.boot.tests.ControlCenterApps.Plain;

/** An application announces itself to a control center server at its start. */
@Timeout(600)
@ExtendWith(OutputCaptureExtension.class)
class ControlCenterAnnouncementTest {
    private static final String OURS = "0123456789abcdef0123456789abcdef";
    private static final String THEIRS = "token-of-the-server";

    private final List<String> requests = new CopyOnWriteArrayList<>();
    private HttpServer server;

    /** It is away at first. */
    @BeforeEach
    void startServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " "
                    + exchange.getRequestHeaders().getFirst("Authorization") + " " + body);
            exchange.sendResponseHeaders(requests.size() == 1 ? 503 : 200, -1);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stopServer() {
        server.stop(0);
    }

    private ConfigurableApplicationContext start(String... settings) {
        String prefix = "outbox.control-center.announce.";
        String[] all = new String[settings.length + 5];
        all[0] = prefix + "server=http://127.0.0.1:" + server.getAddress().getPort() + "/outbox";
        all[1] = prefix + "token=" + THEIRS;
        all[2] = prefix + "api-url=https://shop.internal/outbox";
        all[3] = prefix + "api-token=center";
        all[4] = prefix + "name=shop";
        System.arraycopy(settings, 0, all, 5, settings.length);
        return ControlCenterApps.start(List.of(Plain.class, LoginForm.class), all);
    }

    @Test
    void anApplicationAnnouncesItselfUntilTheServerTakesIt(CapturedOutput output) {
        try (ConfigurableApplicationContext context = start("outbox.control-center.tokens.center.secret=" + OURS)) {
            assertThat(context.isRunning()).isTrue();
            await().atMost(Duration.ofMinutes(2))
                    .untilAsserted(() -> assertThat(output.getAll()).contains("announced this application as 'shop'"));
        }
        assertThat(requests)
                .hasSize(2)
                .allSatisfy(request -> assertThat(request)
                        .startsWith("PUT /outbox/api/v1/apps/shop/announcement Bearer " + THEIRS + " {")
                        .contains(
                                "\"apiUrl\":\"https://shop.internal/outbox\"",
                                "\"token\":\"" + OURS + "\"",
                                "\"application\":\"outbox\""));
        assertThat(output.getAll()).contains("it answered 503").doesNotContain(OURS, THEIRS);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            outbox.control-center.announce.api-token=none | there is no outbox.control-center.tokens.none.secret
            outbox.control-center.announce.api-token= | set outbox.control-center.announce.api-token
            outbox.control-center.announce.token= | set outbox.control-center.announce.token
            outbox.control-center.announce.api-url= | set outbox.control-center.announce.api-url
            outbox.control-center.announce.api-url=shop | must be an http or https URL
            outbox.control-center.secret= | no control center is served that the server could reach
            """)
    void aSettingThatLeadsNowhereIsRefusedAtTheStart(String setting, String message) {
        assertThatThrownBy(() -> start("outbox.control-center.tokens.center.secret=" + OURS, setting)
                        .close())
                .rootCause()
                .hasMessageContaining(message)
                .hasMessageNotContaining(OURS);
        assertThat(requests).isEmpty();
    }
}
