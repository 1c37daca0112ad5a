package outbox.samples.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.core.SpringVersion;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The service as its clients see it: over HTTP, on a free port. */
@SpringBootTest(
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = "spring.datasource.url=jdbc:h2:mem:test-orders;DB_CLOSE_DELAY=-1")
class OrderApplicationTest {
    static {
        Awaitility.setDefaultTimeout(Duration.ofSeconds(60)); // a busy machine is no failure
    }

    private final HttpClient http = HttpClient.newHttpClient();

    @LocalServerPort
    int port;

    @Autowired
    JsonMapper json;

    @Test
    void runsOnTheNewestSpring() {
        assertThat(SpringVersion.getVersion()).startsWith("7.");
    }

    @Test
    void anOrderIsStoredAndItsEventDelivered() throws Exception {
        HttpResponse<String> created = post("/orders", "{\"item\":\"lamp\",\"quantity\":2}");
        assertThat(created.statusCode()).isEqualTo(201);
        String id = json.readTree(created.body()).get("id").asString();

        await().untilAsserted(() -> {
            assertThat(find("/deliveries", "/order/id", id).at("/order/item").asString())
                    .isEqualTo("lamp");
            assertThat(find("/events", "/aggregateId", id).at("/status").asString())
                    .isEqualTo("DONE");
        });
        assertThat(find("/orders", "/id", id).at("/quantity").asInt()).isEqualTo(2);
    }

    @Test
    void aRefusedOrderLeavesNoEvent() throws Exception {
        HttpResponse<String> refused = post("/orders", "{\"item\":\"sofa\",\"quantity\":1}");
        assertThat(refused.statusCode()).isEqualTo(409);
        assertThat(refused.body()).contains("sofa is sold out");

        assertThat(find("/orders", "/item", "sofa").isMissingNode()).isTrue();
        assertThat(find("/deliveries", "/order/item", "sofa").isMissingNode()).isTrue();
        int orders = get("/orders").size();
        assertThat(get("/events").size()).isEqualTo(orders);
    }

    @Test
    void anOrderOfNothingIsABadRequest() throws Exception {
        assertThat(post("/orders", "{\"quantity\":1}").statusCode()).isEqualTo(400);
        assertThat(post("/orders", "{\"item\":\"lamp\",\"quantity\":0}").statusCode())
                .isEqualTo(400);
    }

    @Test
    void aDeadLetterCanBeReplayed() throws Exception {
        HttpResponse<String> created = post("/orders", "{\"item\":\"bomb\",\"quantity\":1}");
        String id = json.readTree(created.body()).get("id").asString();
        await().untilAsserted(() -> assertThat(
                        find("/events", "/aggregateId", id).at("/status").asString())
                .isEqualTo("DEAD"));
        String eventId =
                find("/dead-letters", "/aggregateId", id).at("/eventId").asString();
        assertThat(find("/deliveries", "/order/id", id).isMissingNode()).isTrue();

        assertThat(post("/dead-letters/" + eventId + "/replay", "").statusCode())
                .isEqualTo(200);

        await().untilAsserted(() -> assertThat(
                        find("/deliveries", "/order/id", id).at("/eventId").asString())
                .isEqualTo(eventId));
        assertThat(post("/dead-letters/unknown/replay", "").statusCode()).isEqualTo(404);
    }

    @Test
    void metricsOfTheOutboxAreThere() throws Exception {
        assertThat(get("/actuator/metrics").at("/names").toString())
                .contains("outbox.dispatch.success", "outbox.delivery.latency");
    }

    /** The element of a list whose part at the pointer has that value, or a missing node. */
    private JsonNode find(String path, String pointer, String value) throws Exception {
        for (JsonNode element : get(path)) {
            if (element.at(pointer).asString().equals(value)) {
                return element;
            }
        }
        return json.missingNode();
    }

    private JsonNode get(String path) throws IOException, InterruptedException {
        HttpResponse<String> response = http.send(request(path).GET().build(), HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return json.readTree(response.body());
    }

    private HttpResponse<String> post(String path, String body) throws IOException, InterruptedException {
        return http.send(
                request(path)
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://localhost:" + port + path));
    }
}
