package outbox.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.RetryAfterException;
import outbox.testing.ManualClock;

/** What becomes of a request, by what the receiver does. */
class WebhookPublisherTest {
    private final ManualClock clock = new ManualClock();
    private final Receiver receiver = Receiver.tls();
    private final WebhookClient client = TestClient.builder().clock(clock).build();

    @AfterEach
    void close() {
        client.close();
        receiver.close();
    }

    private WebhookPublisher publisher() {
        return client.publisher(TestClient.endpoint(receiver).build());
    }

    private Throwable send() {
        return TestClient.outcome(publisher(), TestClient.event());
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 201, 202, 204, 299})
    void everyStatusOf2xxIsSuccess(int status) {
        receiver.answering(Receiver.status(status));
        assertThat(send()).isNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {300, 304, 400, 401, 403, 404, 407, 413, 422, 429, 500, 501, 502, 503, 504})
    void everyOtherStatusIsAFailureThatNamesIt(int status) {
        receiver.answering(Receiver.status(status));
        assertThat(send()).isInstanceOfSatisfying(WebhookResponseException.class, e -> {
            assertThat(e.statusCode()).isEqualTo(status);
            assertThat(e).hasMessageContaining("test (hooks.test) answered " + status);
            assertThat(e.getMessage()).doesNotContain("abc");
        });
        assertThat(receiver.received()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {429, 502, 503, 504})
    void aBusyReceiverSaysWhenToComeAgain(int status) {
        receiver.answering(Receiver.status(status, "retry-after", "120"));
        assertThat(send())
                .isInstanceOfSatisfying(
                        RetryAfterException.class, e -> assertThat(e.delay()).isEqualTo(Duration.ofMinutes(2)));
        receiver.answering(Receiver.status(status, "retry-after", "Thu, 01 Jan 2026 00:01:30 GMT"));
        assertThat(send())
                .isInstanceOfSatisfying(
                        RetryAfterException.class, e -> assertThat(e.delay()).isEqualTo(Duration.ofSeconds(90)));
        receiver.answering(Receiver.status(status, "retry-after", "whenever"));
        assertThat(send()).isInstanceOf(WebhookResponseException.class);
    }

    @Test
    void onlyABusyReceiverDecidesAboutTheTime() {
        receiver.answering(Receiver.status(500, "retry-after", "120"));
        assertThat(send()).isInstanceOf(WebhookResponseException.class);
    }

    @Test
    void otherEventsOfABusyEndpointWaitToo() {
        assertThat(send()).isNull(); // the first one takes long by itself
        receiver.answering(Receiver.status(503, "retry-after", "1"));
        WebhookPublisher publisher = publisher();
        long start = System.nanoTime();
        assertThat(TestClient.outcome(publisher, TestClient.event())).isInstanceOf(RetryAfterException.class);
        receiver.answering(Receiver.status(204));
        assertThat(TestClient.outcome(publisher, TestClient.event())).isNull();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(950));
    }

    @Test
    void anEndpointThatIsGoneIsDisabledAndToldOnce() {
        receiver.answering(Receiver.status(410));
        List<String> told = new ArrayList<>();
        WebhookPublisher publisher = publisher().onDisabled(endpoint -> told.add(endpoint.name()));
        assertThat(TestClient.outcome(publisher, TestClient.event())).isInstanceOf(EndpointDisabledException.class);
        assertThat(publisher.isDisabled()).isTrue();
        assertThat(TestClient.outcome(publisher, TestClient.event())).isInstanceOf(EndpointDisabledException.class);
        assertThat(receiver.received()).hasSize(1);
        assertThat(told).containsExactly("test");

        receiver.answering(Receiver.status(200));
        publisher.enable();
        assertThat(TestClient.outcome(publisher, TestClient.event())).isNull();
        publisher.disable();
        assertThat(TestClient.outcome(publisher, TestClient.event())).isInstanceOf(EndpointDisabledException.class);
        assertThat(receiver.received()).hasSize(2);
    }

    @Test
    void aFailureToTellChangesNothing() {
        receiver.answering(Receiver.status(410));
        WebhookPublisher publisher = publisher().onDisabled(endpoint -> {
            throw new IllegalStateException("nobody listens");
        });
        assertThat(TestClient.outcome(publisher, TestClient.event())).isInstanceOf(EndpointDisabledException.class);
    }

    @Test
    void anEventTheEndpointDoesNotWantIsDoneAndNotSent() {
        WebhookPublisher publisher = client.publisher(
                TestClient.endpoint(receiver).eventTypes("invoice.*").build());
        assertThat(TestClient.outcome(publisher, TestClient.event())).isNull();
        assertThat(receiver.received()).isEmpty();
    }

    @Test
    void aReceiverThatDoesNotAnswerInTimeIsAFailure() {
        CountDownLatch end = new CountDownLatch(1);
        receiver.answering(exchange -> awaitQuietly(end));
        WebhookPublisher publisher = client.publisher(
                TestClient.endpoint(receiver).timeout(Duration.ofMillis(300)).build());
        assertThat(TestClient.outcome(publisher, TestClient.event()))
                .isInstanceOf(SocketTimeoutException.class)
                .hasMessageContaining("PT0.3S");
        end.countDown();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await(50, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Says a status and then never ends its body. */
    private static Receiver.Answer endless(int status, int chunk, CountDownLatch end) {
        return (HttpExchange exchange) -> {
            exchange.sendResponseHeaders(status, 0);
            try (OutputStream out = exchange.getResponseBody()) {
                byte[] bytes = new byte[chunk];
                while (!end.await(5, TimeUnit.MILLISECONDS)) {
                    out.write(bytes);
                    out.flush();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (IOException e) {
                end.countDown(); // they hung up
            }
        };
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 50_000})
    void theStatusCountsEvenIfTheBodyNeverEnds(int chunk) throws Exception {
        assertThat(send()).as("connected").isNull();
        CountDownLatch end = new CountDownLatch(1);
        WebhookPublisher publisher = client.publisher(
                TestClient.endpoint(receiver).timeout(Duration.ofMillis(1500)).build());
        receiver.answering(endless(200, chunk, end));
        assertThat(TestClient.outcome(publisher, TestClient.event())).isNull();
        assertThat(end.await(20, TimeUnit.SECONDS)).as("connection given up").isTrue();

        CountDownLatch secondEnd = new CountDownLatch(1);
        receiver.answering(endless(500, chunk, secondEnd));
        assertThat(TestClient.outcome(publisher, TestClient.event())).isInstanceOf(WebhookResponseException.class);
        assertThat(secondEnd.await(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aClosedPortAndAnUnknownNameAreFailuresWithTheirReason() throws Exception {
        int closed;
        try (ServerSocket socket = new ServerSocket(0)) {
            closed = socket.getLocalPort();
        }
        for (String scheme : List.of("https", "http")) {
            assertThat(outcomeOf(scheme + "://hooks.test:" + closed)).as(scheme).isInstanceOf(IOException.class);
            assertThat(outcomeOf(scheme + "://nowhere.test:" + closed)).isInstanceOf(UnknownHostException.class);
        }
        assertThat(outcomeOf("https://hooks.test:" + closed)).hasMessageContaining("hooks.test:" + closed);
    }

    private Throwable outcomeOf(String url) {
        WebhookEndpoint endpoint = WebhookEndpoint.builder("test", URI.create(url))
                .secrets(TestClient.SECRET)
                .build();
        return TestClient.outcome(client.publisher(endpoint), TestClient.event());
    }

    @Test
    void aCertificateForAnotherNameIsRefused() {
        try (WebhookClient other = TestClient.builder()
                .resolver(host -> new InetAddress[] {InetAddress.getByName("127.0.0.1")})
                .build()) {
            WebhookEndpoint endpoint = WebhookEndpoint.builder(
                            "test", URI.create("https://other.test:" + receiver.port() + "/"))
                    .secrets(TestClient.SECRET)
                    .build();
            assertThat(TestClient.outcome(other.publisher(endpoint), TestClient.event()))
                    .isInstanceOf(SSLException.class);
        }
        assertThat(receiver.received()).isEmpty();
    }

    @Test
    void ofSeveralAddressesTheFirstThatAcceptsIsUsed() throws Exception {
        try (WebhookClient several = TestClient.builder()
                .allowAddresses("127.0.0.2/32", "127.0.0.3/32")
                .resolver(host -> new InetAddress[] {
                    InetAddress.getByName("127.0.0.2"),
                    InetAddress.getByName("127.0.0.3"),
                    InetAddress.getByName("127.0.0.1")
                })
                .build()) {
            assertThat(TestClient.outcome(
                            several.publisher(TestClient.endpoint(receiver).build()), TestClient.event()))
                    .isNull();
        }
    }

    @Test
    void manyRequestsAreInFlightWithoutAThreadForEach() throws Exception {
        int count = 64;
        CountDownLatch allHere = new CountDownLatch(count);
        AtomicInteger most = new AtomicInteger();
        receiver.answering(exchange -> {
            allHere.countDown();
            awaitQuietly(allHere);
            most.accumulateAndGet((int) allHere.getCount(), Math::max);
            exchange.sendResponseHeaders(204, -1);
        });
        WebhookPublisher publisher = client.publisher(
                TestClient.endpoint(receiver).timeout(Duration.ofMinutes(1)).build());
        List<CompletionStage<?>> stages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            stages.add(publisher.onEventAsync(TestClient.event()));
        }
        // No request is answered before all are there: this ends only if all are in flight at once.
        for (CompletionStage<?> stage : stages) {
            stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
        }
        assertThat(most).hasValue(0);
        Set<String> own = Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("outbox-webhook"))
                .collect(Collectors.toSet());
        assertThat(own).hasSizeLessThan(20);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void noThreadIsStartedOrBorrowedForTheEndOfARequest(boolean tls) throws Exception {
        try (Receiver to = tls ? Receiver.tls() : Receiver.plain()) {
            for (int status : new int[] {200, 204, 500}) {
                CountDownLatch watched = new CountDownLatch(1);
                to.answering(exchange -> {
                    awaitQuietly(watched);
                    Receiver.status(status).to(exchange);
                });
                CompletionStage<String> toldBy = client.publisher(
                                TestClient.endpoint(to).build())
                        .onEventAsync(TestClient.event())
                        .handle((done, failure) -> Thread.currentThread().getName());
                watched.countDown();
                assertThat(toldBy.toCompletableFuture().get(20, TimeUnit.SECONDS))
                        .matches("outbox-webhook-[0-9]+");
            }
        }
    }

    @Test
    void connectionsAreUsedAgain() {
        AtomicInteger resolved = new AtomicInteger();
        try (WebhookClient counting = TestClient.builder()
                .resolver(host -> {
                    resolved.incrementAndGet();
                    return TestClient.resolve(host);
                })
                .build()) {
            WebhookPublisher publisher =
                    counting.publisher(TestClient.endpoint(receiver).build());
            for (int i = 0; i < 20; i++) {
                assertThat(TestClient.outcome(publisher, TestClient.event())).isNull();
            }
        }
        // Each connection resolves the name once. A reply can arrive before its connection is back in the pool, and the
        // next request then opens another one; in the end there are enough for all.
        assertThat(resolved.get()).isLessThanOrEqualTo(10);
    }

    @Test
    void noMoreRequestsASecondThanAllowed() {
        WebhookPublisher publisher =
                client.publisher(TestClient.endpoint(receiver).ratePerSecond(4).build());
        long start = System.nanoTime();
        List<CompletionStage<?>> stages = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            stages.add(publisher.onEventAsync(TestClient.event()));
        }
        stages.forEach(stage -> stage.toCompletableFuture().join());
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(950));
        assertThat(receiver.received()).hasSize(8);
    }

    @Test
    void plainHttpWorksWhereItIsAllowed() throws Exception {
        try (Receiver plain = Receiver.plain()) {
            WebhookPublisher publisher =
                    client.publisher(TestClient.endpoint(plain).build());
            assertThat(TestClient.outcome(publisher, TestClient.event())).isNull();
            Receiver.Received received = plain.received().get(0);
            assertThat(received.header("Host")).isEqualTo("hooks.test:" + plain.port());
            assertThat(received.uri().getPath()).isEqualTo("/in");
            assertThat(received.headers()).doesNotContainKey("Proxy-authorization");
            WebhookVerifier.of(TestClient.SECRET).withClock(clock).verify(received::header, received.body());
        }
    }

    @Test
    void aPlainReceiverThatDoesNotAnswerInTimeIsAFailureToo() {
        CountDownLatch end = new CountDownLatch(1);
        try (Receiver plain = Receiver.plain()) {
            plain.answering(exchange -> awaitQuietly(end));
            WebhookPublisher publisher = client.publisher(
                    TestClient.endpoint(plain).timeout(Duration.ofMillis(300)).build());
            assertThat(TestClient.outcome(publisher, TestClient.event())).isInstanceOf(SocketTimeoutException.class);
            end.countDown();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aNameThatIsNotResolvedHoldsUpNoOther(boolean tls) {
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger asked = new AtomicInteger();
        try (Receiver other = tls ? Receiver.tls() : Receiver.plain();
                WebhookClient client = TestClient.builder()
                        .resolver(host -> {
                            if (host.equals("dead.test")) {
                                asked.incrementAndGet();
                                awaitQuietly(end);
                            }
                            return TestClient.resolve(host);
                        })
                        .build()) {
            URI away = URI.create((tls ? "https" : "http") + "://dead.test/");
            WebhookPublisher dead = client.publisher(WebhookEndpoint.builder("dead", away)
                    .secrets(TestClient.SECRET)
                    .build());
            List<CompletionStage<?>> waiting = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                waiting.add(dead.onEventAsync(TestClient.event()));
            }
            await().atMost(Duration.ofMinutes(1)).until(() -> asked.get() > 0);
            WebhookPublisher alive = client.publisher(TestClient.endpoint(other).build());
            assertThat(TestClient.outcome(alive, TestClient.event())).isNull();
            assertThat(waiting).noneMatch(stage -> stage.toCompletableFuture().isDone());
            end.countDown();
            assertThat(waiting)
                    .allSatisfy(stage -> assertThat(stage.toCompletableFuture())
                            .failsWithin(Duration.ofSeconds(10))
                            .withThrowableOfType(ExecutionException.class)
                            .withCauseInstanceOf(UnknownHostException.class));
        } finally {
            end.countDown();
        }
    }

    @Test
    void whatWaitsForItsTimeFailsWhenTheClientIsClosed() {
        WebhookPublisher publisher = client.publisher(
                TestClient.endpoint(receiver).ratePerSecond(0.01).build());
        assertThat(TestClient.outcome(publisher, TestClient.event())).isNull();
        CompletionStage<?> waiting = publisher.onEventAsync(TestClient.event());
        client.close();
        assertClosed(waiting);
        assertClosed(publisher.onEventAsync(TestClient.event()));
    }

    @Test
    void aRequestWithoutAnAnswerFailsWhenTheClientIsClosed() {
        CountDownLatch end = new CountDownLatch(1);
        try (Receiver plain = Receiver.plain()) {
            plain.answering(exchange -> awaitQuietly(end));
            receiver.answering(exchange -> awaitQuietly(end));
            CompletionStage<?> unanswered =
                    client.publisher(TestClient.endpoint(plain).build()).onEventAsync(TestClient.event());
            CompletionStage<?> unansweredTls = publisher().onEventAsync(TestClient.event());
            await().atMost(Duration.ofMinutes(1))
                    .until(() ->
                            plain.received().size() == 1 && receiver.received().size() == 1);
            client.close();
            assertClosed(unanswered);
            assertClosed(unansweredTls);
        } finally {
            end.countDown();
        }
    }

    private static void assertClosed(CompletionStage<?> stage) {
        assertThat(stage.toCompletableFuture())
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(IOException.class)
                .withMessageContaining("closed");
    }

    @Test
    void aClosedClientSendsNothing() {
        WebhookPublisher publisher = publisher();
        client.close();
        assertThat(TestClient.outcome(publisher, TestClient.event())).isInstanceOf(IOException.class);
        assertThat(receiver.received()).isEmpty();
    }
}
