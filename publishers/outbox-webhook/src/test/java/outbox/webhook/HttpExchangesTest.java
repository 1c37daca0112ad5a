package outbox.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyManagementException;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLContextSpi;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the HTTP client does, and what it must not do by itself. */
@Timeout(120)
class HttpExchangesTest {
    /** A context whose first engine cannot be created, on an I/O thread. */
    private static final class ErrorOnce extends SSLContextSpi {
        private final SSLContext context = TestCertificate.sslContext();
        private final AtomicInteger engines = new AtomicInteger();

        @Override
        protected SSLEngine engineCreateSSLEngine() {
            throw new AssertionError("not called: the peer is always given");
        }

        @Override
        protected SSLEngine engineCreateSSLEngine(String host, int port) {
            if (engines.getAndIncrement() == 0) {
                throw new OutOfMemoryError("as if there were no memory");
            }
            return context.createSSLEngine(host, port);
        }

        @Override
        protected void engineInit(KeyManager[] keys, TrustManager[] trust, SecureRandom random)
                throws KeyManagementException {}

        @Override
        protected SSLSocketFactory engineGetSocketFactory() {
            return context.getSocketFactory();
        }

        @Override
        protected SSLServerSocketFactory engineGetServerSocketFactory() {
            return context.getServerSocketFactory();
        }

        @Override
        protected SSLSessionContext engineGetServerSessionContext() {
            return context.getServerSessionContext();
        }

        @Override
        protected SSLSessionContext engineGetClientSessionContext() {
            return context.getClientSessionContext();
        }
    }

    private static final class Context extends SSLContext {
        Context(SSLContextSpi spi) {
            super(spi, TestCertificate.sslContext().getProvider(), "TLS");
        }
    }

    @Test
    void anErrorOnAnIoThreadEndsOneAttemptAndNotTheClient() {
        try (Receiver receiver = Receiver.tls();
                WebhookClient client = TestClient.builder()
                        .sslContext(new Context(new ErrorOnce()))
                        .build()) {
            WebhookPublisher publisher = client.publisher(TestClient.endpoint(receiver)
                    .timeout(java.time.Duration.ofSeconds(2))
                    .build());
            assertThat(TestClient.outcome(publisher, TestClient.event())).isNotNull();
            assertThat(TestClient.outcome(
                            client.publisher(TestClient.endpoint(receiver).build()), TestClient.event()))
                    .isNull();
        }
    }

    @Test
    void withoutFileDescriptorsRequestsFailAndSucceedWhenThereAreSomeAgain() throws Exception {
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
                        ClientWithoutDescriptors.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(output.strip()).isEqualTo("without=true with=null");
        assertThat(process.waitFor()).isZero();
    }

    @Test
    void anIpv6AddressIsConnectedToAsItIsWritten() throws Exception {
        try (Receiver receiver = Receiver.plainOn("::1");
                WebhookClient client =
                        TestClient.builder().allowAddresses("::1/128").build()) {
            WebhookEndpoint endpoint = WebhookEndpoint.builder(
                            "test", URI.create("http://[::1]:" + receiver.port() + "/in"))
                    .secrets(TestClient.SECRET)
                    .build();
            assertThat(TestClient.outcome(client.publisher(endpoint), TestClient.event()))
                    .isNull();
            assertThat(receiver.received().get(0).header("Host")).isEqualTo("[::1]:" + receiver.port());
        }
    }

    @Test
    void cookiesAreNotKeptAndChallengesNotAnswered() {
        try (Receiver receiver = Receiver.tls();
                WebhookClient client = TestClient.builder().build()) {
            WebhookPublisher publisher =
                    client.publisher(TestClient.endpoint(receiver).build());
            receiver.answering(Receiver.status(204, "set-cookie", "session=1; Path=/"));
            assertThat(TestClient.outcome(publisher, TestClient.event())).isNull();
            receiver.answering(Receiver.status(401, "www-authenticate", "Basic realm=\"here\""));
            assertThat(TestClient.outcome(publisher, TestClient.event()))
                    .isInstanceOf(WebhookResponseException.class)
                    .hasMessageContaining("401");
            assertThat(receiver.received()).hasSize(2).allSatisfy(received -> {
                assertThat(received.header("Cookie")).isNull();
                assertThat(received.header("Authorization")).isNull();
                assertThat(received.header("Accept-encoding")).isNull();
                assertThat(received.header("Upgrade")).isNull();
            });
        }
    }

    @Test
    void aProxyOfTheSystemIsNotUsed() throws Exception {
        System.setProperty("https.proxyHost", "127.0.0.1");
        System.setProperty("https.proxyPort", "1");
        try (Receiver receiver = Receiver.tls();
                WebhookClient client = TestClient.builder()
                        .resolver(host -> new InetAddress[] {InetAddress.getByName("127.0.0.1")})
                        .build()) {
            assertThat(TestClient.outcome(
                            client.publisher(TestClient.endpoint(receiver).build()), TestClient.event()))
                    .isNull();
        } finally {
            System.clearProperty("https.proxyHost");
            System.clearProperty("https.proxyPort");
        }
    }
}
