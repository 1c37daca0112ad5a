package outbox.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EgressRelayTest {
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountingServer target = new CountingServer();
    private final EgressRelay relay = new EgressRelay(
            new HostLookups(
                    new DestinationGuard(new AddressRules(List.of(Cidr.parse("127.0.0.1/32"))), false, this::resolve),
                    threads),
            Duration.ofSeconds(20));

    private InetAddress[] resolve(String host) throws UnknownHostException {
        return switch (host) {
            case "good.test" -> new InetAddress[] {InetAddress.getByName("127.0.0.1")};
            case "bad.test" -> new InetAddress[] {InetAddress.getByName("127.0.0.2")};
            case "broken.test" -> throw new IllegalStateException("the resolver is broken");
            default -> throw new UnknownHostException(host);
        };
    }

    @AfterEach
    void close() throws Exception {
        relay.close();
        target.close();
        threads.shutdownNow();
    }

    private Socket open(String head) throws IOException {
        Socket socket = new Socket(relay.address().getAddress(), relay.address().getPort());
        socket.setSoTimeout(30_000);
        socket.getOutputStream().write(head.getBytes(StandardCharsets.ISO_8859_1));
        return socket;
    }

    private String connect(String destination) {
        return "CONNECT " + destination + " HTTP/1.1\r\nHost: " + destination + "\r\nProxy-Authorization: "
                + relay.authorization() + "\r\n\r\n";
    }

    private static String answer(Socket socket) throws IOException {
        byte[] head = socket.getInputStream().readNBytes(12);
        return new String(head, StandardCharsets.ISO_8859_1);
    }

    @Test
    void passesBytesOnAsTheyComeBothWays() throws Exception {
        byte[] sent = new byte[3_000_000];
        new Random(1).nextBytes(sent);
        try (ServerSocket echo = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            threads.execute(() -> {
                try (Socket accepted = echo.accept()) {
                    accepted.getInputStream().transferTo(accepted.getOutputStream());
                } catch (IOException e) {
                    // the test looks at the other side
                }
            });
            try (Socket socket = open(connect("good.test:" + echo.getLocalPort()))) {
                InputStream in = socket.getInputStream();
                assertThat(answer(socket)).isEqualTo("HTTP/1.1 200");
                while (in.read() != '\n') {}
                assertThat(in.readNBytes(2)).isEqualTo(new byte[] {'\r', '\n'});
                CompletableFuture<byte[]> received =
                        CompletableFuture.supplyAsync(() -> read(in, sent.length), threads);
                OutputStream out = socket.getOutputStream();
                out.write(sent);
                assertThat(Arrays.equals(received.get(), sent)).isTrue();
            }
        }
    }

    private static byte[] read(InputStream in, int count) {
        try {
            return in.readNBytes(count);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"bad.test", "127.0.0.2", "[::1]", "::1", "0x7f.1", "unknown.test", "broken.test"})
    void refusesWhatTheGuardRefusesAndSaysWhyToItsOwner(String host) throws Exception {
        String destination = host + ":" + target.port();
        try (Socket socket = open(connect(destination))) {
            assertThat(answer(socket)).isEqualTo("HTTP/1.1 502");
        }
        String key = host.equals("::1") ? "[::1]" : host;
        assertThat(relay.failureOf(key, target.port())).isNotNull();
        assertThat(target.connections()).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CONNECT good.test:%d HTTP/1.1\r\nHost: good.test\r\n\r\n",
                "CONNECT good.test:%d HTTP/1.1\r\nProxy-Authorization: Outbox 00\r\n\r\n",
                "GET http://good.test:%d/ HTTP/1.1\r\n\r\n",
                "CONNECT good.test HTTP/1.1\r\n\r\n",
                "\r\n\r\n",
                "\u0016\u0003\u0001 nonsense %d\r\n\r\n"
            })
    void answersNobodyWhoDoesNotKnowTheWord(String head) throws Exception {
        try (Socket socket = open(head.replace("%d", Integer.toString(target.port())))) {
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
        assertThat(target.connections()).isZero();
    }

    @Test
    void doesNotListenToSomebodyWhoTalksForEver() throws Exception {
        try (Socket socket = open("CONNECT good.test:1 HTTP/1.1\r\n")) {
            byte[] line = "x: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n".getBytes();
            try {
                for (int i = 0; i < 10_000; i++) {
                    socket.getOutputStream().write(line);
                }
                assertThat(socket.getInputStream().read()).isEqualTo(-1);
            } catch (IOException e) {
                assertThat(e).isNotNull(); // hung up while we were talking
            }
        }
    }

    @Test
    void closedPortsAreAFailureWithItsReason() throws Exception {
        int closed;
        try (ServerSocket socket = new ServerSocket(0)) {
            closed = socket.getLocalPort();
        }
        try (Socket socket = open(connect("good.test:" + closed))) {
            assertThat(answer(socket)).isEqualTo("HTTP/1.1 502");
        }
        assertThat(relay.failureOf("good.test", closed)).hasMessageContaining("refused");
    }

    @Test
    void endsItsConnectionsWhenClosed() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
                Socket socket = open(connect("good.test:" + server.getLocalPort()))) {
            assertThat(answer(socket)).isEqualTo("HTTP/1.1 200");
            relay.close();
            socket.getInputStream().readAllBytes(); // comes to an end
        }
    }

    @Test
    void withoutFileDescriptorsItWaitsAndGoesOnWhenThereAreSome() throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Process process = new ProcessBuilder(
                        "sh",
                        "-c",
                        "ulimit -n 200 && exec \"$@\"",
                        "sh",
                        java,
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        RelayWithoutDescriptors.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(output.strip()).isEqualTo("flooded=false answer=HTTP/1.1 502");
        assertThat(process.waitFor()).isZero();
    }
}
