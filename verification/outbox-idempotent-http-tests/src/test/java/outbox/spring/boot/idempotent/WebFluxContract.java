package outbox.spring.boot.idempotent;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.spring.boot.idempotent.Client.header;
import static outbox.spring.boot.idempotent.Client.isReplayed;

import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.jdbc.core.JdbcTemplate;
import outbox.testing.server.TestDatabase;

/** WebFlux on Netty. */
@TestInstance(Lifecycle.PER_CLASS)
abstract class WebFluxContract {
    private static final int CALLERS = 50;

    private Running shop;
    private Client client;
    private Ledger ledger;

    abstract TestDatabase database();

    @BeforeAll
    void start() {
        shop = Running.start(
                WebFluxShop.class,
                WebApplicationType.REACTIVE,
                database(),
                "outbox.idempotency.http.max-answer-size=100KB",
                "outbox.idempotency.http.max-request-size=100KB");
        client = shop.client;
        ledger = shop.ledger();
    }

    @AfterAll
    void stop() {
        shop.close();
    }

    private static String fresh() {
        return UUID.randomUUID().toString();
    }

    private static String wanted(String item) {
        return "{\"item\":\"" + item + "\"}";
    }

    @Test
    void theServerIsNetty() {
        assertThat(shop.context.getBean("netty").getClass().getSimpleName()).isEqualTo("NettyReactiveWebServerFactory");
        assertThat(shop.context.getBeanDefinitionNames()).doesNotContain("tomcatReactiveWebServerFactory");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/bookings", "/future"})
    void fiftyEqualRequestsHaveOneEffectAndFiftyEqualAnswers(String path) throws Exception {
        String item = fresh();
        double before = shop.counted("POST " + path).getOrDefault("executed", 0.0);

        List<HttpResponse<String>> answers = client.together(CALLERS, path, fresh(), wanted(item));

        assertThat(ledger.count(item)).isEqualTo(1);
        Set<List<Object>> different = new HashSet<>();
        for (HttpResponse<String> answer : answers) {
            different.add(List.of(
                    answer.statusCode(),
                    answer.body(),
                    String.valueOf(header(answer, "Location")),
                    String.valueOf(header(answer, "ETag")),
                    String.valueOf(header(answer, "Content-Type"))));
        }
        assertThat(different).hasSize(1);
        assertThat(answers.get(0).statusCode()).isEqualTo(201);
        assertThat(answers.stream().filter(Client::isReplayed)).hasSize(CALLERS - 1);
        assertThat(shop.counted("POST " + path)).containsEntry("executed", before + 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/bookings", "/future"})
    void aReplayHasTheStatusTheBodyAndTheHeadersButNoSecrets(String path) throws Exception {
        String key = fresh();
        String item = fresh();

        HttpResponse<String> first = client.to(path).key(key).json(wanted(item));
        HttpResponse<String> again = client.to(path).key(key).json(wanted(item));

        assertThat(first.statusCode()).isEqualTo(201);
        assertThat(header(first, "Set-Cookie")).isEqualTo("session=secret");
        assertThat(again.statusCode()).isEqualTo(201);
        assertThat(again.body()).isEqualTo(first.body()).contains(item);
        assertThat(isReplayed(again)).isTrue();
        for (String name : List.of("Location", "ETag", "Content-Type")) {
            assertThat(header(again, name)).as(name).isNotNull().isEqualTo(header(first, name));
        }
        assertThat(header(again, "Set-Cookie")).isNull();
        assertThat(again.headers().allValues("X-Content-Type-Options")).containsExactly("nosniff");
        assertThat(ledger.count(item)).isEqualTo(1);
        assertThat(shop.context
                        .getBean(JdbcTemplate.class)
                        .queryForList("SELECT result_json FROM outbox_idempotency WHERE status = 1", String.class))
                .noneMatch(answer -> answer.contains("secret"));
    }

    @Test
    void aKeyOfAnotherRequestIsRefused() throws Exception {
        String key = fresh();
        String item = fresh();
        assertThat(client.to("/bookings").key(key).json(wanted(item)).statusCode())
                .isEqualTo(201);

        HttpResponse<String> refused = client.to("/bookings").key(key).json(wanted("another " + item));

        assertThat(refused.statusCode()).isEqualTo(422);
        assertThat(header(refused, "Content-Type")).startsWith("application/problem+json");
        assertThat(refused.body()).contains("urn:outbox:idempotency:other-request");
        assertThat(ledger.count("another " + item)).isZero();
    }

    @Test
    void aRequestInProgressIsRefusedUntilItIsAnswered() throws Exception {
        String key = fresh();
        String item = fresh();
        CountDownLatch entered = ledger.enters(item);
        CountDownLatch hold = ledger.hold(item);
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            Future<HttpResponse<String>> first =
                    thread.submit(() -> client.to("/bookings").key(key).json(wanted(item)));
            entered.await();

            HttpResponse<String> second = client.to("/bookings").key(key).json(wanted(item));

            assertThat(second.statusCode()).isEqualTo(409);
            assertThat(header(second, "Retry-After")).isEqualTo("1");
            assertThat(second.body()).contains("urn:outbox:idempotency:in-progress");
            hold.countDown();
            assertThat(client.untilAnswered("/bookings", key, wanted(item)).body())
                    .isEqualTo(first.get().body());
            assertThat(ledger.count(item)).isEqualTo(1);
        } finally {
            hold.countDown();
            thread.shutdownNow();
        }
    }

    @Test
    void whatIsBegunEndsAlthoughTheClientWentAway() throws Exception {
        String key = fresh();
        String item = fresh();
        CountDownLatch entered = ledger.enters(item);
        CountDownLatch hold = ledger.hold(item);
        try (Socket socket = new Socket(
                "localhost", shop.context.getEnvironment().getRequiredProperty("local.server.port", Integer.class))) {
            String body = wanted(item);
            socket.getOutputStream()
                    .write(("POST /bookings HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: " + key
                                    + "\r\nContent-Type: application/json\r\nContent-Length: " + body.length()
                                    + "\r\n\r\n" + body)
                            .getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
            entered.await();
        }
        hold.countDown();

        HttpResponse<String> answer = client.untilAnswered("/bookings", key, wanted(item));

        assertThat(answer.statusCode()).isEqualTo(201);
        assertThat(ledger.count(item)).isEqualTo(1);
    }

    @Test
    void missingAndInvalidKeysAreRefused() throws Exception {
        String item = fresh();
        HttpResponse<String> missing = client.to("/bookings").json(wanted(item));
        HttpResponse<String> invalid = client.to("/bookings").key("a b").json(wanted(item));
        assertThat(missing.statusCode()).isEqualTo(400);
        assertThat(missing.body()).contains("urn:outbox:idempotency:key-missing");
        assertThat(invalid.statusCode()).isEqualTo(400);
        assertThat(invalid.body()).contains("urn:outbox:idempotency:key-invalid");
        assertThat(ledger.count(item)).isZero();
    }

    @Test
    void nobodyGetsTheAnswerOfAnotherCaller() throws Exception {
        String key = fresh();
        String body = wanted(fresh());
        HttpResponse<String> ann = client.to("/bookings").user("ann").key(key).json(body);
        HttpResponse<String> bob = client.to("/bookings").user("bob").key(key).json(body);
        HttpResponse<String> anonymous = client.to("/bookings").key(key).json(body);
        assertThat(Set.of(ann.body(), bob.body(), anonymous.body())).hasSize(3);
        assertThat(client.to("/bookings").user("ann").key(key).json(body).body())
                .isEqualTo(ann.body());
    }

    @Test
    void anExceptionIsNotStoredAndTheKeyIsUsableAgain() throws Exception {
        String key = fresh();
        String item = fresh();
        ledger.failing.add(item);
        assertThat(client.to("/bookings").key(key).json(wanted(item)).statusCode())
                .isEqualTo(500);

        HttpResponse<String> again = client.to("/bookings").key(key).json(wanted(item));

        assertThat(again.statusCode()).isEqualTo(201);
        assertThat(isReplayed(again)).isFalse();
    }

    @Test
    void theAnswerOfAnExceptionHandlerIsStored() throws Exception {
        String key = fresh();
        String item = fresh();
        HttpResponse<String> first = client.to("/declined").key(key).json(wanted(item));
        HttpResponse<String> again = client.to("/declined").key(key).json(wanted(item));
        assertThat(first.statusCode()).isEqualTo(402);
        assertThat(again.statusCode()).isEqualTo(402);
        assertThat(again.body()).isEqualTo(first.body()).contains("card declined");
        assertThat(header(again, "X-Reason")).isEqualTo("card");
        assertThat(ledger.count(item)).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"404,true", "422,true", "401,false", "409,false", "429,false", "503,false"})
    void answersThatAskToComeAgainAreNotStored(int status, boolean stored) throws Exception {
        String key = fresh();
        String body = wanted(fresh());
        assertThat(client.to("/status/" + status).key(key).json(body).statusCode())
                .isEqualTo(status);
        HttpResponse<String> again = client.to("/status/" + status).key(key).json(body);
        assertThat(again.statusCode()).isEqualTo(status);
        assertThat(isReplayed(again)).isEqualTo(stored);
    }

    @Test
    void anAnswerWithoutABodyIsStored() throws Exception {
        String key = fresh();
        String item = fresh();
        assertThat(client.to("/empty").key(key).json(wanted(item)).statusCode()).isEqualTo(204);
        HttpResponse<String> again = client.to("/empty").key(key).json(wanted(item));
        assertThat(again.statusCode()).isEqualTo(204);
        assertThat(header(again, "X-Empty")).isEqualTo("yes");
        assertThat(isReplayed(again)).isTrue();
        assertThat(ledger.count(item)).isEqualTo(1);
    }

    @Test
    void aLargeAnswerIsSentOnceAndItsRequestDoesNotRunAgain() throws Exception {
        String key = fresh();
        String item = fresh();
        HttpResponse<String> first = client.to("/large?bytes=300000").key(key).json(wanted(item));
        HttpResponse<String> again = client.to("/large?bytes=300000").key(key).json(wanted(item));
        assertThat(first.body()).hasSize(300_000);
        assertThat(again.statusCode()).isEqualTo(409);
        assertThat(again.body()).contains("urn:outbox:idempotency:answer-not-kept");
        assertThat(ledger.count(item)).isEqualTo(1);
    }

    @Test
    void largeAndMultipartRequestsAreRefused() throws Exception {
        assertThat(client.to("/bookings")
                        .key(fresh())
                        .json(wanted("i".repeat(200_000)))
                        .statusCode())
                .isEqualTo(413);
        assertThat(client.to("/bookings")
                        .key(fresh())
                        .body("multipart/form-data; boundary=b", "--b--\r\n")
                        .statusCode())
                .isEqualTo(415);
    }

    @Test
    void formsAreComparedByTheirContent() throws Exception {
        String key = fresh();
        String item = fresh();
        String form = "application/x-www-form-urlencoded";
        HttpResponse<String> first = client.to("/form").key(key).body(form, "item=" + item);
        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(client.to("/form").key(key).body(form, "item=" + item).body())
                .isEqualTo(first.body());
        assertThat(client.to("/form").key(key).body(form, "item=other").statusCode())
                .isEqualTo(422);

        String shifting = fresh();
        assertThat(client.to("/form")
                        .key(shifting)
                        .body(form, "item=" + item + "&a=b&c=")
                        .statusCode())
                .isEqualTo(200);
        assertThat(client.to("/form")
                        .key(shifting)
                        .body(form, "item=" + item + "&a=b&a=c&a=")
                        .statusCode())
                .as("values are not names")
                .isEqualTo(422);
    }

    @Test
    void keyAndTenantComeFromExpressions() throws Exception {
        String item = fresh();
        HttpResponse<String> first =
                client.to("/by-body").header("X-Tenant", "acme").json(wanted(item));
        HttpResponse<String> again =
                client.to("/by-body").header("X-Tenant", "acme").json(wanted(item));
        HttpResponse<String> other =
                client.to("/by-body").header("X-Tenant", "other").json(wanted(item));
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(isReplayed(other)).isFalse();
        assertThat(client.to("/by-body").json(wanted(item)).statusCode()).isEqualTo(400);
    }

    @Test
    void browsersOfOtherOriginsGetReplays() throws Exception {
        String key = fresh();
        String body = wanted(fresh());
        client.to("/bookings").header("Origin", "https://one.example").key(key).json(body);
        HttpResponse<String> replay = client.to("/bookings")
                .header("Origin", "https://two.example")
                .key(key)
                .json(body);
        assertThat(isReplayed(replay)).isTrue();
        assertThat(replay.headers().allValues("Access-Control-Allow-Origin")).containsExactly("https://two.example");
        assertThat(client.to("/bookings")
                        .header("Origin", "https://three.example")
                        .key(key)
                        .json(body)
                        .statusCode())
                .isEqualTo(403);
    }

    @Test
    void otherMethodsAreNotAffected() throws Exception {
        String item = fresh();
        String key = fresh();
        client.to("/plain").key(key).json(wanted(item));
        client.to("/plain").key(key).json(wanted(item));
        assertThat(ledger.count(item)).isEqualTo(2);
        assertThat(client.to("/plain").key(key).body("text/plain", "x").statusCode())
                .isEqualTo(415);
    }
}
