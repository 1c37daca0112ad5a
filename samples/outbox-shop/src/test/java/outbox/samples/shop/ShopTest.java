package outbox.samples.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** On H2, as it comes; and what has nothing to do with the database. */
class ShopTest extends ShopContract {
    @Override
    String database() {
        return "h2";
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"cents\": 1} | item is missing",
                "{\"item\": \"lamp\", \"cents\": 0, \"card\": \"GOOD\", \"email\": \"a@b\"} | cents must be between 1 and 1000000: 0",
                "{\"item\": \"lamp\", \"cents\": 1, \"card\": \"gold\", \"email\": \"a@b\"} | card must be one of [GOOD, FLAKY, DECLINED, BANK_OUT]: gold",
                "{\"item\": \"lamp\", \"cents\": 1, \"card\": \"GOOD\", \"email\": \"ab\"} | email must look like name@host: ab",
                "nonsense | the body is not the JSON expected"
            })
    void whatCanNotBeAnOrderIsRefusedWithTheReason(String body, String reason) throws Exception {
        HttpResponse<String> refused = shop.send("POST", "/api/orders", body, "Idempotency-Key", "k");
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(shop.parse(refused.body()).get("detail").asString()).isEqualTo(reason);
    }

    @Test
    void anOrderNeedsAKey() throws Exception {
        HttpResponse<String> refused = shop.send("POST", "/api/orders", ShopClient.orderBody("GOOD", "a@b"));
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body()).contains("header Idempotency-Key is missing");
    }

    @Test
    void whatIsNotDeadCanNotBeReplayed() throws Exception {
        HttpResponse<String> refused = shop.send("POST", "/api/dead/nobody/replay", "");
        assertThat(refused.statusCode()).isEqualTo(404);
    }

    @Test
    void anAddressIsCorrectedOnlyByAnAddress() throws Exception {
        HttpResponse<String> refused = shop.send("PUT", "/api/orders/ord_1/address", "{\"address\": \"\"}");
        assertThat(refused.statusCode()).isEqualTo(400);
    }

    @Test
    void thePageComesFromTheJarAlone() throws Exception {
        HttpResponse<String> page = shop.send("GET", "/", "");
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.headers().firstValue("Content-Security-Policy").orElseThrow())
                .startsWith("default-src 'self'");
        assertThat(page.body()).doesNotContainPattern("<script(?![^>]*src)").doesNotContain("style=", "onclick");
        for (String file : List.of("/", "/shop.js", "/i18n.js", "/shop.css")) {
            HttpResponse<String> served = shop.send("GET", file, "");
            assertThat(served.statusCode()).as(file).isEqualTo(200);
            assertThat(served.body()).as(file).doesNotContain("http://", "https://");
        }
    }

    @Test
    void thePageLeadsToTheControlCenter() throws Exception {
        String path = shop.board().get("controlCenter").asString();
        assertThat(shop.send("GET", path, "").statusCode()).isEqualTo(200);

        String order = shop.place("GOOD", "ada@mail.example");
        String event = shop.line(order).at("/placed/eventId").asString();
        HttpResponse<String> seen = shop.send("GET", path + "api/v1/apps/outbox/events/" + event, "");
        assertThat(seen.statusCode()).as(seen.body()).isEqualTo(200);
        assertThat(seen.body()).contains("order.placed");
    }

    /** The shop has no login. A page of somebody else can have its own name lead to this machine. */
    @Test
    void theControlCenterAnswersThisMachineAlone() throws Exception {
        String events = "/outbox/api/v1/apps/outbox/events";
        for (String host : List.of("localhost", "127.0.0.1:" + port, "[::1]:" + port)) {
            assertThat(shop.statusLine(events, "Host: " + host)).as(host).contains(" 200");
        }
        for (String host : List.of("shop.example", "localhost.shop.example", "10.0.0.1", "dead.beef")) {
            assertThat(shop.statusLine(events, "Host: " + host)).as(host).contains(" 401");
        }
        assertThat(shop.statusLine(events, "Host: localhost", "X-Forwarded-For: 10.0.0.1"))
                .contains(" 401");
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void pagesOfTheControlCenterThatAreClosedLeaveNoErrorInTheLog(CapturedOutput output) throws Exception {
        for (int i = 0; i < 10; i++) { // who notices first, the server or the stream, is by chance
            shop.closeAfterTheFirstFigures("/outbox/api/v1/apps/outbox/stream");
        }

        await().atMost(Duration.ofMinutes(1))
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().startsWith("outbox-control-stream-")));
        assertThat(output).doesNotContain("Exception");
    }

    @Test
    void bothLanguagesHaveTheSameWords() throws Exception {
        String words = shop.send("GET", "/i18n.js", "").body();
        int chinese = words.indexOf("  zh: {");
        assertThat(keys(words.substring(0, chinese))).isEqualTo(keys(words.substring(chinese)));
    }

    private static List<String> keys(String words) {
        return words.lines()
                .filter(line -> line.matches("    \\w+: .*"))
                .map(line -> line.strip().replaceAll(":.*", ""))
                .toList();
    }
}
