package outbox.spring.boot.idempotent;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.spring.boot.idempotent.Client.header;
import static outbox.spring.boot.idempotent.Client.isReplayed;

import java.net.http.HttpResponse;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
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

/** Spring MVC on Tomcat. */
@TestInstance(Lifecycle.PER_CLASS)
abstract class MvcContract {
    private static final int CALLERS = 50;

    private Running shop;
    private Client client;
    private Ledger ledger;

    abstract TestDatabase database();

    @BeforeAll
    void start() {
        shop = Running.start(
                MvcShop.class,
                WebApplicationType.SERVLET,
                database(),
                "outbox.idempotency.http.max-answer-size=100KB",
                "outbox.idempotency.http.max-request-size=100KB",
                "outbox.idempotency.http.excluded-headers=X-Receipt");
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

    @ParameterizedTest
    @ValueSource(strings = {"/bookings", "/separate", "/callable"})
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
        assertThat(answers.get(0).body()).contains(item);
        assertThat(answers.stream().filter(Client::isReplayed)).hasSize(CALLERS - 1);
        assertThat(shop.counted("POST " + path)).containsEntry("executed", before + 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/bookings", "/separate", "/callable", "/future", "/deferred"})
    void aReplayHasTheStatusTheBodyAndTheHeadersButNoSecrets(String path) throws Exception {
        String key = fresh();
        String item = fresh();

        HttpResponse<String> first = client.to(path).key(key).json(wanted(item));
        HttpResponse<String> again = client.to(path).key(key).json(wanted(item));

        assertThat(first.statusCode()).isEqualTo(201);
        assertThat(header(first, "Set-Cookie")).isEqualTo("session=secret");
        assertThat(header(first, "X-Receipt")).startsWith("r-");
        assertThat(isReplayed(first)).isFalse();
        assertThat(again.statusCode()).isEqualTo(201);
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(isReplayed(again)).isTrue();
        for (String name : List.of("Location", "ETag", "Content-Type")) {
            assertThat(header(again, name)).as(name).isNotNull().isEqualTo(header(first, name));
        }
        assertThat(header(again, "Set-Cookie")).isNull();
        assertThat(header(again, "X-Receipt")).as("excluded by a property").isNull();
        assertThat(again.headers().allValues("X-Content-Type-Options"))
                .as("what the security filter adds is there once")
                .containsExactly("nosniff");
        assertThat(ledger.count(item)).isEqualTo(1);
        assertThat(stored()).noneMatch(answer -> answer.contains("secret"));
    }

    private List<String> stored() {
        return shop.context
                .getBean(JdbcTemplate.class)
                .queryForList("SELECT result_json FROM outbox_idempotency WHERE status = 1", String.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/bookings", "/separate"})
    void aKeyOfAnotherRequestIsRefused(String path) throws Exception {
        String key = fresh();
        String item = fresh();
        assertThat(client.to(path).key(key).json(wanted(item)).statusCode()).isEqualTo(201);

        HttpResponse<String> other = client.to(path).key(key).json(wanted("another " + item));
        HttpResponse<String> otherQuery = client.to(path + "?a=b").key(key).json(wanted(item));

        for (HttpResponse<String> refused : List.of(other, otherQuery)) {
            assertThat(refused.statusCode()).isEqualTo(422);
            assertThat(header(refused, "Content-Type")).startsWith("application/problem+json");
            assertThat(refused.body()).contains("urn:outbox:idempotency:other-request", "\"status\":422");
        }
        assertThat(ledger.count("another " + item)).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/bookings", "/separate", "/callable"})
    void aRequestInProgressIsRefusedUntilItIsAnswered(String path) throws Exception {
        String key = fresh();
        String item = fresh();
        CountDownLatch entered = ledger.enters(item);
        CountDownLatch hold = ledger.hold(item);
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            Future<HttpResponse<String>> first =
                    thread.submit(() -> client.to(path).key(key).json(wanted(item)));
            entered.await();

            HttpResponse<String> second = client.to(path).key(key).json(wanted(item));

            assertThat(second.statusCode()).isEqualTo(409);
            assertThat(header(second, "Retry-After")).isEqualTo("1");
            assertThat(header(second, "Content-Type")).startsWith("application/problem+json");
            assertThat(second.body()).contains("urn:outbox:idempotency:in-progress");

            hold.countDown();
            assertThat(client.untilAnswered(path, key, wanted(item)).body())
                    .isEqualTo(first.get().body());
            assertThat(ledger.count(item)).isEqualTo(1);
        } finally {
            hold.countDown();
            thread.shutdownNow();
        }
    }

    @Test
    void aRequestWithoutAKeyIsRefusedWhereItIsRequired() throws Exception {
        String item = fresh();

        HttpResponse<String> refused = client.to("/bookings").json(wanted(item));

        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(header(refused, "Content-Type")).startsWith("application/problem+json");
        assertThat(refused.body()).contains("urn:outbox:idempotency:key-missing", "Idempotency-Key");
        assertThat(ledger.count(item)).isZero();
        assertThat(client.to("/optional").json(wanted(item)).statusCode()).isEqualTo(200);
        assertThat(client.to("/optional").json(wanted(item)).statusCode()).isEqualTo(200);
        assertThat(ledger.count(item)).isEqualTo(2);
    }

    @Test
    void keysAreOneStringOfPrintableCharacters() throws Exception {
        String item = fresh();
        for (String bad : List.of("a b", "a,b", "\"", "\"\"", "a".repeat(129))) {
            HttpResponse<String> refused = client.to("/bookings").key(bad).json(wanted(item));
            assertThat(refused.statusCode()).as(bad).isEqualTo(400);
            assertThat(refused.body()).contains("key-invalid");
        }
        HttpResponse<String> two =
                client.to("/bookings").key("a" + item).key("b" + item).json(wanted(item));
        assertThat(two.statusCode()).isEqualTo(400);
        assertThat(ledger.count(item)).isZero();

        String key = fresh();
        client.to("/bookings").key("\"" + key + "\"").json(wanted(item));
        assertThat(isReplayed(client.to("/bookings").key(key).json(wanted(item))))
                .as("with and without quotation marks")
                .isTrue();
    }

    @Test
    void nobodyGetsTheAnswerOfAnotherCaller() throws Exception {
        String key = fresh();
        String item = fresh();

        HttpResponse<String> ann = client.to("/bookings").user("ann").key(key).json(wanted(item));
        HttpResponse<String> bob = client.to("/bookings").user("bob").key(key).json(wanted(item));
        HttpResponse<String> anonymous = client.to("/bookings").key(key).json(wanted(item));
        HttpResponse<String> annAgain =
                client.to("/bookings").user("ann").key(key).json(wanted(item));

        assertThat(Set.of(ann.body(), bob.body(), anonymous.body())).hasSize(3);
        assertThat(annAgain.body()).isEqualTo(ann.body());
        HttpResponse<String> intruder = client.to("/bookings")
                .header("Authorization", "Basic YW5uOndyb25n")
                .key(key)
                .json(wanted(item));
        assertThat(intruder.statusCode())
                .as("refused before the key is looked at")
                .isEqualTo(401);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/bookings", "/separate", "/callable"})
    void anExceptionIsNotStoredAndTheKeyIsUsableAgain(String path) throws Exception {
        String key = fresh();
        String item = fresh();
        ledger.failing.add(item);

        assertThat(client.to(path).key(key).json(wanted(item)).statusCode()).isEqualTo(500);
        int afterFailure = ledger.count(item);
        HttpResponse<String> again = client.to(path).key(key).json(wanted(item));

        assertThat(afterFailure).as("atomic work is rolled back").isEqualTo(path.equals("/bookings") ? 0 : 1);
        assertThat(again.statusCode()).isEqualTo(201);
        assertThat(isReplayed(again)).isFalse();
        assertThat(isReplayed(client.to(path).key(key).json(wanted(item)))).isTrue();
    }

    @Test
    void anAnswerOf503RollsBackAndTheKeyIsUsableAgain() throws Exception {
        String key = fresh();
        String item = fresh();
        ledger.unavailable.add(item);

        assertThat(client.to("/bookings").key(key).json(wanted(item)).statusCode())
                .isEqualTo(503);
        assertThat(ledger.count(item)).isZero();
        assertThat(client.to("/bookings").key(key).json(wanted(item)).statusCode())
                .isEqualTo(201);
        assertThat(ledger.count(item)).isEqualTo(1);
    }

    @Test
    void theAnswerOfAnExceptionHandlerIsStoredAndTheWorkIsRolledBack() throws Exception {
        String key = fresh();
        String item = fresh();

        HttpResponse<String> first = client.to("/declined").key(key).json(wanted(item));
        HttpResponse<String> again = client.to("/declined").key(key).json(wanted(item));

        assertThat(first.statusCode()).isEqualTo(402);
        assertThat(again.statusCode()).isEqualTo(402);
        assertThat(again.body()).isEqualTo(first.body()).contains("card declined");
        assertThat(header(again, "X-Reason")).isEqualTo("card");
        assertThat(isReplayed(again)).isTrue();
        assertThat(ledger.count(item)).isZero();
    }

    @ParameterizedTest
    @CsvSource({"404,true", "410,true", "422,true", "401,false", "403,false", "409,false", "429,false", "503,false"})
    void answersThatAskToComeAgainAreNotStored(int status, boolean stored) throws Exception {
        String key = fresh();
        String item = fresh();

        HttpResponse<String> first = client.to("/status/" + status).key(key).json(wanted(item));
        HttpResponse<String> again = client.to("/status/" + status).key(key).json(wanted(item));

        assertThat(first.statusCode()).isEqualTo(status);
        assertThat(again.statusCode()).isEqualTo(status);
        assertThat(isReplayed(again)).isEqualTo(stored);
        assertThat(ledger.count(item)).isZero();
    }

    @Test
    void aFailedCommitGoesToTheExceptionHandlersOfTheApplication() throws Exception {
        String key = fresh();
        String item = fresh();
        ledger.failingAtCommit.add(item);

        HttpResponse<String> first = client.to("/bookings").key(key).json(wanted(item));
        HttpResponse<String> again = client.to("/bookings").key(key).json(wanted(item));

        assertThat(first.statusCode()).isEqualTo(422);
        assertThat(first.body()).contains("by the database").doesNotContain(item);
        assertThat(header(first, "Location")).isNull();
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(isReplayed(again)).isTrue();
        assertThat(ledger.count(item)).isZero();
    }

    @Test
    void aConnectionThatIsLostBeforeTheCommitIsAnError() throws Exception {
        isAnErrorAndThenRuns(item -> ledger.losingConnection.add(item));
    }

    @Test
    void anErrorAtTheCommitIsNoSuccess() throws Exception {
        isAnErrorAndThenRuns(item -> ledger.thrownAtCommit.put(item, new AssertionError("at the commit")));
    }

    @Test
    void anExceptionHandlerThatFailsAfterTheCommitDidIsAnError() throws Exception {
        isAnErrorAndThenRuns(item -> ledger.thrownAtCommit.put(item, new MvcShop.Unanswerable()));
    }

    /** The client learns of it, nothing has happened, and the same request can run again. */
    private void isAnErrorAndThenRuns(Consumer<String> disturbance) throws Exception {
        String key = fresh();
        String item = fresh();
        disturbance.accept(item);

        HttpResponse<String> first = client.to("/bookings").key(key).json(wanted(item));
        assertThat(first.statusCode()).isEqualTo(500);
        assertThat(header(first, "Location")).isNull();
        assertThat(ledger.count(item)).isZero();

        HttpResponse<String> again = client.to("/bookings").key(key).json(wanted(item));
        assertThat(again.statusCode()).as(again.body()).isEqualTo(201);
        assertThat(isReplayed(again)).isFalse();
        assertThat(ledger.count(item)).isEqualTo(1);
    }

    @Test
    void aLargeAnswerIsSentOnceAndItsRequestDoesNotRunAgain() throws Exception {
        String key = fresh();
        String item = fresh();

        HttpResponse<String> first = client.to("/large?bytes=300000").key(key).json(wanted(item));
        HttpResponse<String> again = client.to("/large?bytes=300000").key(key).json(wanted(item));

        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(first.body()).hasSize(300_000);
        assertThat(again.statusCode()).isEqualTo(409);
        assertThat(header(again, "Retry-After")).isNull();
        assertThat(again.body()).contains("urn:outbox:idempotency:answer-not-kept");
        assertThat(ledger.count(item)).isEqualTo(1);
    }

    @Test
    void aLargeRequestIsRefused() throws Exception {
        String item = "i".repeat(200_000);
        HttpResponse<String> refused = client.to("/bookings").key(fresh()).json(wanted(item));
        assertThat(refused.statusCode()).isEqualTo(413);
        assertThat(refused.body()).contains("urn:outbox:idempotency:body-too-large");
    }

    @Test
    void whatIsWrittenToTheResponseDirectlyIsStored() throws Exception {
        String key = fresh();
        String item = fresh();
        HttpResponse<String> first = client.to("/written").key(key).json(wanted(item));
        HttpResponse<String> again = client.to("/written").key(key).json(wanted(item));

        assertThat(first.body()).isEqualTo("gebucht: " + item + " für 5 €");
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(header(again, "Content-Type")).isEqualToIgnoringCase("text/plain;charset=utf-8");
        assertThat(isReplayed(again)).isTrue();

        HttpResponse<String> moved = client.to("/moved").key(key).json(wanted(item));
        HttpResponse<String> movedAgain = client.to("/moved").key(key).json(wanted(item));
        assertThat(moved.statusCode()).isEqualTo(302);
        assertThat(movedAgain.statusCode()).isEqualTo(302);
        assertThat(header(movedAgain, "Location")).isNotNull().isEqualTo(header(moved, "Location"));
        assertThat(ledger.count(item)).isEqualTo(2);
    }

    @Test
    void aForwardIsRefusedAndRolledBack() throws Exception {
        String item = fresh();
        assertThat(client.to("/forwarded?item=" + item).key(fresh()).json("{}").statusCode())
                .isEqualTo(500);
        assertThat(ledger.count(item)).isZero();
    }

    @Test
    void formsAndPartsAreComparedByTheirContent() throws Exception {
        String key = fresh();
        String item = fresh();
        String form = "application/x-www-form-urlencoded";
        HttpResponse<String> first = client.to("/form").key(key).body(form, "item=" + item);
        HttpResponse<String> again = client.to("/form").key(key).body(form, "item=" + item);
        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(again.body()).isEqualTo(first.body());
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

        HttpResponse<String> file = client.to("/upload").key(key).body(multipart("b1"), parts("b1", item));
        HttpResponse<String> fileAgain = client.to("/upload").key(key).body(multipart("b2"), parts("b2", item));
        assertThat(file.statusCode()).as(file.body()).isEqualTo(200);
        assertThat(fileAgain.body()).as("with another boundary").isEqualTo(file.body());
        assertThat(isReplayed(fileAgain)).isTrue();
        assertThat(client.to("/upload")
                        .key(key)
                        .body(multipart("b1"), parts("b1", "other"))
                        .statusCode())
                .isEqualTo(422);
    }

    private static String multipart(String boundary) {
        return "multipart/form-data; boundary=" + boundary;
    }

    private static String parts(String boundary, String content) {
        return "--" + boundary + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n"
                + "Content-Type: text/plain\r\n\r\n" + content + "\r\n--" + boundary + "--\r\n";
    }

    @Test
    void keyScopeTenantAndTimeToLiveComeFromExpressions() throws Exception {
        String order = fresh();
        HttpResponse<String> acme = client.to("/orders/" + order + "/ship")
                .header("X-Tenant", "acme")
                .json("{}");
        HttpResponse<String> again = client.to("/orders/" + order + "/ship")
                .header("X-Tenant", "acme")
                .json("{}");
        HttpResponse<String> other = client.to("/orders/" + order + "/ship")
                .header("X-Tenant", "other")
                .json("{}");
        assertThat(acme.statusCode()).isEqualTo(200);
        assertThat(again.body()).isEqualTo(acme.body());
        assertThat(other.body()).isNotEqualTo(acme.body());
        assertThat(client.to("/orders/" + order + "/ship").json("{}").statusCode())
                .as("without a tenant")
                .isEqualTo(400);

        Map<String, Object> row = shop.context
                .getBean(JdbcTemplate.class)
                .queryForMap("SELECT * FROM outbox_idempotency WHERE tenant_id = 'acme'");
        assertThat(row.get("idempotency_key")).isEqualTo(order);
        assertThat(row.get("scope").toString()).startsWith("shipping#");

        String item = fresh();
        client.to("/by-body").json(wanted(item));
        assertThat(isReplayed(client.to("/by-body").json(wanted(item)))).isTrue();
        assertThat(client.to("/by-body").json("not json").statusCode()).isEqualTo(400);
    }

    @Test
    void browsersOfOtherOriginsGetAnswersAndReplays() throws Exception {
        HttpResponse<String> preflight = client.to("/bookings")
                .header("Origin", "https://one.example")
                .header("Access-Control-Request-Method", "POST")
                .header("Access-Control-Request-Headers", "idempotency-key")
                .method("OPTIONS");
        assertThat(preflight.statusCode()).isEqualTo(200);
        assertThat(header(preflight, "Access-Control-Allow-Headers")).isEqualToIgnoringCase("idempotency-key");

        String key = fresh();
        String body = wanted(fresh());
        client.to("/bookings").header("Origin", "https://one.example").key(key).json(body);
        HttpResponse<String> replay = client.to("/bookings")
                .header("Origin", "https://two.example")
                .key(key)
                .json(body);
        assertThat(isReplayed(replay)).isTrue();
        assertThat(replay.headers().allValues("Access-Control-Allow-Origin")).containsExactly("https://two.example");
    }

    @Test
    void theStoredRepresentationIsReplayedWhateverTheClientAcceptsNow() throws Exception {
        String key = fresh();
        String body = wanted(fresh());
        HttpResponse<String> first = client.to("/bookings")
                .header("Accept", "application/json")
                .key(key)
                .json(body);
        HttpResponse<String> again =
                client.to("/bookings").header("Accept", "*/*").key(key).json(body);
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(header(again, "Content-Type")).isEqualTo(header(first, "Content-Type"));
    }

    @Test
    void hiddenAsynchronousWorkIsRefusedAndRolledBack() throws Exception {
        String item = fresh();
        assertThat(client.to("/hidden-async").key(fresh()).json(wanted(item)).statusCode())
                .isEqualTo(500);
        assertThat(ledger.count(item)).isZero();
    }

    @Test
    void otherMethodsAreNotAffected() throws Exception {
        String item = fresh();
        String key = fresh();
        client.to("/plain").key(key).json(wanted(item));
        HttpResponse<String> again = client.to("/plain").key(key).json(wanted(item));
        assertThat(isReplayed(again)).isFalse();
        assertThat(ledger.count(item)).isEqualTo(2);
    }

    @Test
    void expiredAnswersArePurgedAndTheirKeysAreNewOnes() throws Exception {
        String key = fresh();
        String item = fresh();
        client.to("/bookings").key(key).json(wanted(item));
        JdbcTemplate jdbc = shop.context.getBean(JdbcTemplate.class);
        assertThat(jdbc.update(
                        "UPDATE outbox_idempotency SET expires_at = created_at - INTERVAL '1' DAY,"
                                + " locked_until = created_at - INTERVAL '1' DAY WHERE idempotency_key = ?",
                        key))
                .isEqualTo(1);

        assertThat(isReplayed(client.to("/bookings").key(key).json(wanted(item))))
                .isFalse();
        assertThat(ledger.count(item)).isEqualTo(2);
    }
}
