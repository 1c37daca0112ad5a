package outbox.samples.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Iterator;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.JdbcTemplate;
import tools.jackson.databind.JsonNode;

/** The shop from outside, through all that can happen to an order; the same on every database. */
@ShopSetup
abstract class ShopContract {
    private static final String ADA = "ada@mail.example";

    @LocalServerPort
    int port;

    @Autowired
    JdbcTemplate jdbc;

    ShopClient shop;

    @BeforeEach
    void open() {
        shop = new ShopClient(port);
    }

    /** The name the page shows. */
    abstract String database();

    @Test
    void runsOnTheDatabaseItWasToldTo() throws Exception {
        assertThat(shop.board().get("database").asString()).isEqualTo(database());
    }

    @Test
    void anOrderIsPaidAndMailed() throws Exception {
        String order = shop.place("GOOD", ADA);

        shop.awaitOrder(order, line -> {
            assertFinished(line, "payment.taken", "TAKEN");
            assertThat(line.at("/placed/attempts").asInt()).isZero();
            assertThat(line.at("/placed/pickUpMillis").isNumber()).isTrue();
        });
        assertThat(jdbc.queryForObject("SELECT subject FROM shop_mail WHERE order_id = ?", String.class, order))
                .isEqualTo("Thank you for your order");
    }

    @Test
    void aFlakyCardIsTriedAgainUntilItIsCharged() throws Exception {
        String order = shop.place("FLAKY", ADA);

        shop.awaitOrder(order, line -> {
            assertFinished(line, "payment.taken", "TAKEN");
            assertThat(line.at("/placed/attempts").asInt()).isEqualTo(2);
        });
    }

    @Test
    void aDeclinedCardIsAnAnswerAndNotAFailure() throws Exception {
        String order = shop.place("DECLINED", ADA);

        shop.awaitOrder(order, line -> {
            assertFinished(line, "payment.refused", "REFUSED");
            assertThat(line.at("/placed/attempts").asInt()).isZero();
        });
        assertThat(jdbc.queryForObject("SELECT subject FROM shop_mail WHERE order_id = ?", String.class, order))
                .isEqualTo("Your card was refused");
    }

    @Test
    void aPaymentThatDiedGoesOnWhenItIsReplayed() throws Exception {
        shop.bank(true);
        String order = shop.place("BANK_OUT", ADA);
        shop.awaitOrder(
                order, line -> assertThat(line.at("/placed/status").asString()).isEqualTo("DEAD"));
        JsonNode dead = shop.line(order).get("placed");
        assertThat(dead.get("attempts").asInt()).isEqualTo(4);
        assertThat(dead.get("error").asString()).contains("the bank of this card is out of service");
        assertThat(shop.board().get("dead").toString())
                .contains(dead.get("eventId").asString());

        shop.bank(false);
        shop.replay(dead.get("eventId").asString());

        shop.awaitOrder(order, line -> assertFinished(line, "payment.taken", "TAKEN"));
    }

    @Test
    void aBadAddressStopsTheMailAloneUntilItIsCorrected() throws Exception {
        String order = shop.place("GOOD", "nobody@poison.example");
        shop.awaitOrder(order, line -> {
            assertThat(line.at("/paid/status").asString()).isEqualTo("DEAD");
            assertThat(line.at("/order/payment").asString())
                    .as("the other handler went on")
                    .isEqualTo("TAKEN");
        });
        JsonNode dead = shop.line(order).get("paid");
        assertThat(dead.get("error").asString()).isEqualTo("there is no mailbox nobody@poison.example");
        Integer version = version(order);

        assertThat(shop.send("PUT", "/api/orders/" + order + "/address", "{\"address\": \"somebody@mail.example\"}")
                        .statusCode())
                .isEqualTo(204);
        shop.replay(dead.get("eventId").asString());

        shop.awaitOrder(order, line -> assertFinished(line, "payment.taken", "TAKEN"));
        assertThat(jdbc.queryForObject("SELECT address FROM shop_mail WHERE order_id = ?", String.class, order))
                .isEqualTo("somebody@mail.example");
        assertThat(version(order)).as("mailed, and not paid a second time").isEqualTo(version + 1);
    }

    private Integer version(String order) {
        return jdbc.queryForObject("SELECT version FROM shop_order WHERE id = ?", Integer.class, order);
    }

    @Test
    void aBurstArrivesCompletely() throws Exception {
        int before = count("shop_mail");
        HttpResponse<String> placed = shop.send("POST", "/api/orders/burst", "{\"count\": 60}");
        assertThat(placed.statusCode()).as(placed.body()).isEqualTo(201);

        // A mail for an order of another test may come among them.
        await().atMost(Duration.ofMinutes(2))
                .untilAsserted(() -> assertThat(count("shop_mail") - before).isGreaterThanOrEqualTo(60));
        await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
            for (JsonNode line : firstOf(shop.board().get("orders"), 60)) {
                assertThat(line.at("/mailed/status").asString()).isEqualTo("DONE");
            }
        });
    }

    private static Iterable<JsonNode> firstOf(JsonNode lines, int count) {
        return () -> lines.values().stream().limit(count).iterator();
    }

    private int count(String table) {
        Integer count = jdbc.queryForObject("SELECT COUNT(*) FROM " + table, Integer.class);
        return count == null ? 0 : count;
    }

    @Test
    void anOrderThatIsSentTwiceIsOneOrder() throws Exception {
        String key = UUID.randomUUID().toString();
        HttpResponse<String> first = shop.order(key, "GOOD", ADA);
        HttpResponse<String> again = shop.order(key, "GOOD", ADA);
        HttpResponse<String> another = shop.order(key, "FLAKY", ADA);

        assertThat(first.statusCode()).isEqualTo(201);
        assertThat(again.statusCode()).isEqualTo(200);
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(another.statusCode()).isEqualTo(409);
    }

    @Test
    void theOpenPageIsToldOfAnOrder() throws Exception {
        HttpResponse<Stream<String>> page = shop.openPage();
        try (Stream<String> lines = page.body()) {
            Iterator<String> sent = lines.filter(line -> line.startsWith("data:"))
                    .map(line -> line.substring("data:".length()))
                    .iterator();
            assertThat(shop.parse(sent.next()).get("orders").isArray()).isTrue();
            String order = shop.place("GOOD", ADA);
            while (!finished(shop.parse(sent.next()), order)) {
                // the next board comes when something has changed
            }
        }
    }

    private static boolean finished(JsonNode board, String order) {
        return board.get("orders").values().stream()
                .anyMatch(line -> line.at("/order/id").asString().equals(order)
                        && line.at("/order/mailed").asBoolean());
    }

    private static void assertFinished(JsonNode line, String paymentEvent, String payment) {
        assertThat(line.at("/placed/status").asString()).isEqualTo("DONE");
        assertThat(line.at("/paid/type").asString()).isEqualTo(paymentEvent);
        assertThat(line.at("/paid/status").asString()).isEqualTo("DONE");
        assertThat(line.at("/mailed/status").asString()).isEqualTo("DONE");
        assertThat(line.at("/order/payment").asString()).isEqualTo(payment);
        assertThat(line.at("/order/mailed").asBoolean()).isTrue();
    }
}
