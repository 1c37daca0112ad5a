package outbox.control.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients that announce a body and do not send it. They come from another address of this machine. */
@Timeout(300)
class UnfinishedRequestsTest {
    private static final int MANY = 250;
    /** Bodies of one address that may be incomplete at the same time. */
    private static final int ALLOWED = 8;

    private static final String ATTACKER = "127.0.0.2";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    @Test
    void othersAreAnsweredWhileHundredsOfBodiesAreUnfinished() throws Exception {
        List<Socket> sockets = new ArrayList<>();
        try (SmallServer server = new SmallServer(directory, Map.of("server.tomcat.connection-timeout", "10m"))) {
            String[] requests = {
                "POST /outbox/api/v1/setup",
                "POST /outbox/api/v1/login",
                "GET /outbox/",
                "DELETE /outbox/api/v1/tokens/x"
            };
            for (int i = 0; i < MANY; i++) {
                sockets.add(unfinished(server, requests[i % requests.length], i % 2 == 0 ? "close" : "keep-alive"));
            }
            await().atMost(PATIENCE).until(() -> answered(sockets) == MANY - ALLOWED);
            HttpClient client = HttpClient.newHttpClient();
            assertThat(client.send(request(server, "/session").GET().build(), HttpResponse.BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(200);
            HttpRequest change = request(server, "/tokens")
                    .header("Authorization", "Bearer " + server.token())
                    .header("X-Outbox-Request", "test")
                    .POST(HttpRequest.BodyPublishers.ofString(
                            "{\"name\":\"ci\",\"days\":1,\"roles\":{\"orders\":\"viewer\"}}"))
                    .build();
            assertThat(client.send(change, HttpResponse.BodyHandlers.ofString()).statusCode())
                    .isEqualTo(201);
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    @Test
    void aBodyThatArrivesByteByByteIsNotWaitedFor() throws Exception {
        try (SmallServer server = new SmallServer(
                        directory,
                        Map.of("server.tomcat.connection-timeout", "10m", "outbox.control-center.body-timeout", "1s"));
                Socket socket = unfinished(server, "POST /outbox/api/v1/login", "close")) {
            await().atMost(PATIENCE).pollInterval(Duration.ofMillis(100)).until(() -> {
                if (socket.getInputStream().available() == 0) {
                    socket.getOutputStream().write('x');
                }
                return socket.getInputStream().available() > 0;
            });
            byte[] status = socket.getInputStream().readNBytes("HTTP/1.1 408".length());
            assertThat(new String(status, StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 408");
        }
    }

    @Test
    void aBodyThatIsTooLargeIsRefusedBeforeItIsSent() throws Exception {
        try (SmallServer server = new SmallServer(directory, Map.of());
                Socket socket = connect(server)) {
            write(socket, "POST /outbox/api/v1/setup HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999999\r\n\r\n");
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("HTTP/1.1 413")
                    .contains("larger than 1200000 bytes");
        }
    }

    private static HttpRequest.Builder request(SmallServer server, String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/outbox/api/v1" + path))
                .timeout(PATIENCE);
    }

    private static long answered(List<Socket> sockets) throws IOException {
        long answered = 0;
        for (Socket socket : sockets) {
            answered += socket.getInputStream().available() > 0 ? 1 : 0;
        }
        return answered;
    }

    private static Socket unfinished(SmallServer server, String request, String connection) throws IOException {
        Socket socket = connect(server);
        write(
                socket,
                request + " HTTP/1.1\r\nHost: localhost\r\nConnection: " + connection
                        + "\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\nx");
        return socket;
    }

    private static Socket connect(SmallServer server) throws IOException {
        Socket socket = new Socket();
        socket.bind(new InetSocketAddress(InetAddress.getByName(ATTACKER), 0));
        socket.connect(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), server.port()));
        return socket;
    }

    private static void write(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
    }
}
