package outbox.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Receivers that do not keep to HTTP, or break off in the middle of it. */
@Timeout(60)
class BrokenReplyTest {
    private final CountDownLatch hungUp = new CountDownLatch(1);
    private final WebhookClient client = TestClient.builder().build();
    private final ServerSocket server = listen();

    /** What a receiver does with a connection on which a request has come. */
    @FunctionalInterface
    private interface Behaviour {
        void on(Socket socket, OutputStream out) throws IOException;
    }

    private static ServerSocket listen() {
        try {
            return new ServerSocket(0, 10, InetAddress.getByName("127.0.0.1"));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        server.close();
    }

    private Throwable sendTo(Behaviour behaviour) {
        return sendTo(behaviour, WebhookEndpoint.DEFAULT_TIMEOUT);
    }

    private Throwable sendTo(Behaviour behaviour, Duration timeout) {
        Thread thread = new Thread(() -> serve(behaviour), "broken-receiver");
        thread.setDaemon(true);
        thread.start();
        URI url = URI.create("http://hooks.test:" + server.getLocalPort() + "/");
        WebhookEndpoint endpoint = WebhookEndpoint.builder("test", url)
                .secrets(TestClient.SECRET)
                .timeout(timeout)
                .build();
        return TestClient.outcome(client.publisher(endpoint), TestClient.event());
    }

    private void serve(Behaviour behaviour) {
        while (true) {
            try (Socket socket = server.accept()) {
                byte[] request = new byte[8192];
                if (socket.getInputStream().read(request) > 0) {
                    behaviour.on(socket, socket.getOutputStream());
                }
            } catch (IOException e) {
                hungUp.countDown();
                if (server.isClosed()) {
                    return;
                }
            }
        }
    }

    private static void say(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.US_ASCII));
        out.flush();
    }

    private static void reset(Socket socket) throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Test
    void aConnectionResetBeforeTheStatusIsAFailedAttempt() {
        assertThat(sendTo((socket, out) -> reset(socket))).isInstanceOf(IOException.class);
    }

    @Test
    void aStatusThatBreaksOffIsAFailedAttempt() {
        assertThat(sendTo((socket, out) -> say(out, "HTTP/1.1 20"))).isInstanceOf(IOException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SSH-2.0-OpenSSH_9.2\r\n\r\n",
                "HTTP/1.1 two hundred\r\n\r\n",
                "HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\n",
                "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n"
            })
    void whatIsNoHttpIsAFailedAttempt(String answer) {
        assertThat(sendTo((socket, out) -> say(out, answer))).isInstanceOf(IOException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"content-length: 100\r\n\r\nhalf", "transfer-encoding: chunked\r\n\r\nno length"})
    void aStatusCountsWhateverComesAfterIt(String rest) {
        assertThat(sendTo((socket, out) -> say(out, "HTTP/1.1 200 OK\r\n" + rest)))
                .isNull();
    }

    @Test
    void headersThatComeByteByByteEndWithTheTimeout() throws Exception {
        assertThat(sendTo(
                        (socket, out) -> {
                            say(out, "HTTP/1.1 200 OK\r\nx-slow: ");
                            trickle(out, "x");
                        },
                        Duration.ofSeconds(2)))
                .isInstanceOf(SocketTimeoutException.class);
        assertThat(hungUp.await(20, TimeUnit.SECONDS)).as("connection given up").isTrue();
    }

    @Test
    void headersWithoutEndAreAFailedAttempt() {
        String line = "x-more: " + "y".repeat(8000) + "\r\n";
        assertThat(sendTo(
                        (socket, out) -> {
                            say(out, "HTTP/1.1 200 OK\r\n");
                            while (true) {
                                say(out, line);
                            }
                        },
                        Duration.ofSeconds(2)))
                .isInstanceOf(IOException.class);
    }

    /** Until they hang up. */
    private void trickle(OutputStream out, String text) throws IOException {
        try {
            while (!hungUp.await(20, TimeUnit.MILLISECONDS)) {
                say(out, text);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
