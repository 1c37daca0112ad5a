package outbox.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nobody connects to what a stranger's URL must not reach: proven by a server that listens there and counts. */
class DestinationGuardTest {
    private final CountingServer forbidden = new CountingServer();

    @AfterEach
    void close() throws Exception {
        forbidden.close();
    }

    /** Hosts as they stand in a URL: every kind of address that is not public, and every disguise of one. */
    static final List<String> BAD_HOSTS = List.of(
            // loopback and unspecified
            "127.0.0.1",
            "127.0.0.2",
            "127.255.255.254",
            "0.0.0.0",
            "0.1.2.3",
            "[::1]",
            "[::]",
            "[0:0:0:0:0:0:0:1]",
            // private, shared, link-local
            "10.0.0.1",
            "10.255.255.255",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.0.1",
            "192.168.255.255",
            "100.64.0.1",
            "100.127.255.255",
            "169.254.169.254",
            "169.254.0.1",
            "[fe80::1]",
            "[fc00::1]",
            "[fd00:ec2::254]",
            "[fec0::1]",
            // reserved, documentation, benchmarking, multicast, broadcast
            "192.0.0.1",
            "192.0.0.192",
            "192.0.2.1",
            "192.88.99.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "[ff02::1]",
            "[ff0e::1]",
            "[2001:db8::1]",
            "[3fff::1]",
            "[100::1]",
            "[2001:20::1]",
            "[5f00::1]",
            // IPv4 inside IPv6: mapped, compatible, translated, 6to4, Teredo, NAT64, ISATAP
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "[::ffff:10.0.0.1]",
            "[::ffff:a9fe:a9fe]",
            "[::127.0.0.1]",
            "[::7f00:1]",
            "[::ffff:0:7f00:1]",
            "[2002:7f00:1::]",
            "[2002:a00:1::1]",
            "[2001:0:7f00:1::]",
            "[64:ff9b::7f00:1]",
            "[64:ff9b::10.0.0.1]",
            "[64:ff9b:1::1]",
            "[2400:cb00::5efe:7f00:1]",
            "[2400:cb00::200:5efe:10.0.0.1]",
            // disguised: decimal, octal, hexadecimal, short, padded, dotted at the end
            "2130706433",
            "017700000001",
            "0x7f000001",
            "0x7f.0x0.0x0.0x1",
            "0177.0.0.1",
            "0177.0.0.01",
            "127.1",
            "127.0.1",
            "0x7f.1",
            "127.0.0.01",
            "127.0.0.1.",
            "1",
            "0",
            "127.0.0.0x1",
            "127.000.000.001",
            "example.com.127",
            "[fe80::1%25lo]",
            "[::1%25eth0]");

    /** Names, and what a resolver says about them. */
    private static final Map<String, String> BAD_NAMES = Map.ofEntries(
            Map.entry("localhost", "127.0.0.1"),
            Map.entry("LocalHost", "127.0.0.1"),
            Map.entry("ip6-localhost", "::1"),
            Map.entry("foo.localhost", "127.0.0.1"),
            Map.entry("127.0.0.1.nip.example", "127.0.0.1"),
            Map.entry("metadata.example", "169.254.169.254"),
            Map.entry("intranet.example", "10.1.2.3"),
            Map.entry("vpn.example", "100.64.1.1"),
            Map.entry("mapped.example", "::ffff:127.0.0.1"),
            Map.entry("compatible.example", "::127.0.0.1"),
            Map.entry("six-to-four.example", "2002:7f00:1::1"),
            Map.entry("nat64.example", "64:ff9b::7f00:1"),
            Map.entry("local6.example", "fd12::1"),
            Map.entry("link6.example", "fe80::1"),
            Map.entry("any.example", "0.0.0.0"),
            Map.entry("any6.example", "::"),
            Map.entry("many.example", "93.184.216.34,127.0.0.1"),
            Map.entry("many-reversed.example", "127.0.0.1,93.184.216.34"));

    static final List<String> NAMES = List.copyOf(BAD_NAMES.keySet());

    private static InetAddress[] resolve(String host) throws UnknownHostException {
        String addresses = BAD_NAMES.get(host);
        if (addresses == null) {
            throw new UnknownHostException(host);
        }
        String[] each = addresses.split(",");
        InetAddress[] found = new InetAddress[each.length];
        for (int i = 0; i < each.length; i++) {
            found[i] = InetAddress.getByName(each[i]);
        }
        return found;
    }

    private static WebhookClient client() {
        return WebhookClient.builder()
                .allowHttp()
                .resolver(DestinationGuardTest::resolve)
                .build();
    }

    private WebhookPublisher publisher(WebhookClient client, String url) {
        return client.publisher(WebhookEndpoint.builder("stranger", URI.create(url))
                .secrets(TestClient.SECRET)
                .timeout(Duration.ofSeconds(30))
                .build());
    }

    @Test
    void theListsAreAsLongAsTheyShouldBe() {
        assertThat(BAD_HOSTS.size() + NAMES.size()).isGreaterThanOrEqualTo(60);
        assertThat(BAD_HOSTS).doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @FieldSource("BAD_HOSTS")
    void anEndpointAtAnAddressThatIsNotPublicIsRefused(String host) {
        try (WebhookClient client = client()) {
            for (String scheme : List.of("https", "http")) {
                String url = scheme + "://" + host + ":" + forbidden.port() + "/";
                assertThatThrownBy(() -> publisher(client, url)).isInstanceOf(IllegalArgumentException.class);
            }
        }
        assertThat(forbidden.connections()).isZero();
    }

    @Test
    void theCountingServerDoesStandInTheWay() throws Exception {
        try (Socket socket = new Socket(InetAddress.getByName("127.0.0.2"), forbidden.port())) {
            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(forbidden.connections()).isOne());
        }
    }

    /** The relay's own check, for hosts that never had to pass that of an endpoint. */
    @ParameterizedTest
    @FieldSource("BAD_HOSTS")
    void noAddressThatIsNotPublicIsEverConnectedTo(String host) {
        DestinationGuard guard = new DestinationGuard(new AddressRules(List.of()), true, InetAddress::getAllByName);
        assertThatThrownBy(() -> guard.resolve(host)).isInstanceOf(BlockedDestinationException.class);
    }

    @ParameterizedTest
    @FieldSource("NAMES")
    void aNameForAnAddressThatIsNotPublicIsNotConnectedTo(String name) {
        try (WebhookClient client = client()) {
            for (String scheme : List.of("https", "http")) {
                WebhookPublisher publisher = publisher(client, scheme + "://" + name + ":" + forbidden.port() + "/");
                assertThat(TestClient.outcome(publisher, TestClient.event()))
                        .isInstanceOf(BlockedDestinationException.class)
                        .hasMessageContaining("nothing was sent");
            }
        }
        assertThat(forbidden.connections()).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://example.com/",
                "ftp://example.com/",
                "file:///etc/passwd",
                "gopher://example.com/",
                "jar:https://example.com/",
                "//example.com/",
                "https:/path",
                "https://",
                "https://user@example.com/",
                "https://user:word@example.com/",
                "https://example.com/#fragment",
                "https://exa_mple.com/",
                "https://-example.com/",
                "https://example..com/",
                "https://example.com:0/",
                "https://example.com:70000/",
                "https://[::1/",
                "https://127.0.0.%31/",
                "https://ⓛocalhost/",
                "https://example.com\\@127.0.0.1/"
            })
    void aUrlThatIsNotPlainlyHttpsToAHostIsRefused(String url) {
        try (WebhookClient client = WebhookClient.builder().build()) {
            assertThatThrownBy(() -> publisher(client, url)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void publicAddressesAndNamesAreFine() throws Exception {
        DestinationGuard guard = new DestinationGuard(
                new AddressRules(List.of()), false, host -> new InetAddress[] {InetAddress.getByName("93.184.216.34")});
        for (String host : List.of(
                "93.184.216.34",
                "1.1.1.1",
                "172.15.0.1",
                "172.32.0.1",
                "100.128.0.1",
                "192.167.255.255",
                "[2606:4700::1111]",
                "[2400:cb00::1]",
                "example.com",
                "xn--bcher-kva.example",
                "a.b-c.d1",
                "1.example")) {
            guard.check(URI.create("https://" + host + "/hook?x=1"));
            assertThat(guard.resolve(host)).as(host).hasSize(1);
        }
    }

    @Test
    void anAllowedBlockIsExemptAndNothingBesideIt() throws Exception {
        DestinationGuard guard = new DestinationGuard(
                new AddressRules(List.of(Cidr.parse("10.20.0.0/16"), Cidr.parse("fd00:1::/32"))),
                false,
                InetAddress::getAllByName);
        assertThat(guard.resolve("10.20.255.1")).hasSize(1);
        assertThat(guard.resolve("[fd00:1::5]")).hasSize(1);
        assertThat(guard.resolve("[::ffff:10.20.0.1]")).hasSize(1);
        for (String host : List.of("10.21.0.1", "10.19.255.255", "[fd00:2::5]", "127.0.0.1")) {
            assertThatThrownBy(() -> guard.resolve(host)).isInstanceOf(BlockedDestinationException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "10.0.0.0/33", "10.0.0.1/8", "fd00::/129", "localhost/8", "10.0.0.0/x", "10/8", "::1/-1"})
    void aBlockThatIsNoneIsRefused(String block) {
        assertThatThrownBy(() -> WebhookClient.builder().allowAddresses(block))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aNameThatResolvesDifferentlyTheSecondTimeDoesNotGetThrough() throws Exception {
        for (boolean tls : new boolean[] {true, false}) {
            AtomicInteger asked = new AtomicInteger();
            try (Receiver good = tls ? Receiver.tls() : Receiver.plain();
                    WebhookClient client = TestClient.builder()
                            .resolver(host -> new InetAddress[] {
                                InetAddress.getByName(asked.getAndIncrement() == 0 ? "127.0.0.1" : "127.0.0.2")
                            })
                            .build()) {
                // 127.0.0.1 is allowed here, 127.0.0.2 is not; the counting server listens on both.
                WebhookPublisher first =
                        client.publisher(TestClient.endpoint(good).build());
                assertThat(TestClient.outcome(first, TestClient.event())).isNull();
                assertThat(asked).hasValue(1);
                String scheme = tls ? "https" : "http";
                WebhookPublisher second = publisher(client, scheme + "://hooks.test:" + forbidden.port() + "/");
                assertThat(TestClient.outcome(second, TestClient.event()))
                        .isInstanceOf(BlockedDestinationException.class);
                assertThat(asked).hasValue(2);
            }
        }
        assertThat(forbidden.connections()).isZero();
    }

    @Test
    void oneAnswerOfTheResolverIsCheckedAndUsedForTheConnection() throws Exception {
        // Every second answer is good: were the name asked twice for one connection, check and use would differ.
        AtomicInteger asked = new AtomicInteger();
        try (Receiver good = Receiver.tls();
                WebhookClient client = TestClient.builder()
                        .resolver(host -> new InetAddress[] {
                            InetAddress.getByName(asked.getAndIncrement() % 2 == 0 ? "127.0.0.1" : "127.0.0.2")
                        })
                        .build()) {
            good.answering(Receiver.status(204, "connection", "close"));
            WebhookPublisher publisher =
                    client.publisher(TestClient.endpoint(good).build());
            for (int i = 0; i < 10; i++) {
                Throwable outcome = TestClient.outcome(publisher, TestClient.event());
                if (i % 2 == 0) {
                    assertThat(outcome).isNull();
                } else {
                    assertThat(outcome).isInstanceOf(BlockedDestinationException.class);
                }
            }
            assertThat(good.received()).hasSize(5);
            assertThat(asked).hasValue(10);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 302, 303, 307, 308})
    void aRedirectLeadsNowhere(int status) {
        try (Receiver good = Receiver.tls();
                WebhookClient client = TestClient.builder().build()) {
            good.answering(Receiver.status(status, "location", "http://127.0.0.1:" + forbidden.port() + "/"));
            WebhookPublisher publisher =
                    client.publisher(TestClient.endpoint(good).build());
            assertThat(TestClient.outcome(publisher, TestClient.event()))
                    .isInstanceOf(WebhookResponseException.class)
                    .hasMessageContaining("redirects are not followed");
            assertThat(good.received()).hasSize(1);
        }
        assertThat(forbidden.connections()).isZero();
    }
}
