package outbox.control.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import outbox.control.ControlCenter;

/** With a public URL and a proxy, which is another address of this machine. */
@Timeout(120)
class ProxyTest {
    private static final String PROXY = "127.0.0.2";
    private static final String PUBLIC = "outbox.example.com";

    @TempDir
    private static Path directory;

    private static SmallServer server;
    private static String token;

    @BeforeAll
    static void start() throws Exception {
        server = new SmallServer(
                directory,
                Map.of(
                        "outbox.control-center.public-url", "https://" + PUBLIC + "/outbox/",
                        "outbox.control-center.trusted-proxies", PROXY + ",10.1.0.0/16"));
        token = server.token();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, evil.example, /outbox/api/v1/session, 421",
        "127.0.0.1, evil.example, /outbox/, 421",
        "127.0.0.1, evil.example, /outbox/api/v1/login, 421",
        "127.0.0.1, 10.0.0.7, /outbox/api/v1/session, 421",
        "127.0.0.1, 10.0.0.7, /outbox/api/v1/health, 200",
        "127.0.0.1, localhost:8090, /outbox/api/v1/session, 200",
        "127.0.0.1, 127.0.0.1:8090, /outbox/api/v1/session, 200",
        "127.0.0.1, OUTBOX.example.com, /outbox/api/v1/session, 200",
        "127.0.0.2, outbox.example.com, /outbox/, 200"
    })
    void onlyThePublicNameAndLocalOnesAreAnswered(String from, String host, String path, int status) throws Exception {
        assertThat(send(from, "GET " + path, host)).startsWith("HTTP/1.1 " + status);
    }

    @Test
    void localNamesAreNotAnsweredToTheClientsOfAProxy() throws Exception {
        assertThat(send(PROXY, "GET /outbox/api/v1/session", "localhost", "X-Forwarded-For: 203.0.113.9"))
                .startsWith("HTTP/1.1 421");
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.2, '6.6.6.6, 203.0.113.9', 203.0.113.9", // the client wrote the first one itself
        "127.0.0.2, '203.0.113.9, 10.1.2.3', 203.0.113.9",
        "127.0.0.2, '203.0.113.9, evil', 127.0.0.2",
        "127.0.0.2, '2001:db8::7', 2001:db8::7",
        "127.0.0.3, 203.0.113.9, 127.0.0.3" // not a proxy
    })
    void theAddressOfAClientIsWhatATrustedProxySays(String from, String forwarded, String address) throws Exception {
        String answer = send(
                from,
                "DELETE /outbox/api/v1/tokens/none",
                PUBLIC,
                "X-Forwarded-For: " + forwarded,
                "Authorization: Bearer " + token,
                "X-Outbox-Request: test");
        assertThat(answer).startsWith("HTTP/1.1 404");
        assertThat(server.bean(ControlCenter.class)
                        .audit()
                        .page(null, null, 1)
                        .get(0)
                        .address())
                .isEqualTo(address);
    }

    private static String send(String from, String request, String host, String... headers) throws Exception {
        try (Socket socket = new Socket()) {
            socket.bind(new InetSocketAddress(InetAddress.getByName(from), 0));
            socket.connect(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), server.port()));
            String all = request + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n"
                    + String.join("\r\n", headers) + (headers.length == 0 ? "" : "\r\n") + "\r\n";
            socket.getOutputStream().write(all.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
