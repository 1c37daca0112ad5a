package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static outbox.spring.boot.tests.Apps.inTransaction;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import outbox.OutboxWriter;
import outbox.spring.boot.tests.Apps.Mailer;
import outbox.spring.boot.tests.Apps.Plain;

/** What an operator sees over HTTP. */
class ActuatorTest {
    private final List<ConfigurableApplicationContext> open = new ArrayList<>();
    private final HttpClient http = HttpClient.newHttpClient();

    @Configuration(proxyBeanMethods = false)
    @Import({Plain.class, Mailer.class})
    static class Shop {}

    private ConfigurableApplicationContext start(String... properties) {
        List<String> arguments = new ArrayList<>(List.of(
                "--server.port=0",
                "--server.address=127.0.0.1",
                "--spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(),
                "--management.endpoints.web.exposure.include=*",
                "--management.endpoint.health.show-details=always",
                "--management.endpoint.health.show-components=always"));
        for (String property : properties) {
            arguments.add("--" + property);
        }
        ConfigurableApplicationContext context = SpringApplication.run(Shop.class, arguments.toArray(String[]::new));
        open.add(context);
        return context;
    }

    @AfterEach
    void close() {
        open.forEach(ConfigurableApplicationContext::close);
    }

    private HttpResponse<String> get(ConfigurableApplicationContext context, String path)
            throws IOException, InterruptedException {
        return http.send(HttpRequest.newBuilder(uri(context, path)).build(), BodyHandlers.ofString());
    }

    private HttpResponse<String> post(ConfigurableApplicationContext context, String path, String body)
            throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(uri(context, path))
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                BodyHandlers.ofString());
    }

    private static URI uri(ConfigurableApplicationContext context, String path) {
        return URI.create(
                "http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port") + "/actuator" + path);
    }

    private static String deadEvent(ConfigurableApplicationContext context) {
        String[] id = new String[1];
        inTransaction(
                context, () -> id[0] = context.getBean(OutboxWriter.class).write("nobody.cares", "{\"secret\":1}"));
        await().until(() -> Integer.valueOf(1)
                .equals(context.getBean(JdbcTemplate.class)
                        .queryForObject("SELECT COUNT(*) FROM outbox_event WHERE status = 3", Integer.class)));
        return id[0];
    }

    @Test
    void theEndpointShowsSummaryEventsAndOneEvent() throws Exception {
        ConfigurableApplicationContext context = start();
        String id = deadEvent(context);

        assertThat(get(context, "/outbox").body())
                .contains("\"running\":true")
                .contains("\"DEAD\":1")
                .contains("\"name\":\"mailer\"")
                .contains("order.placed");
        assertThat(get(context, "/outbox/events?status=dead&limit=10").body())
                .contains(id)
                .contains("\"status\":\"DEAD\"")
                .doesNotContain("secret");
        assertThat(get(context, "/outbox/events/" + id).body())
                .contains("nobody.cares")
                .contains("lastError")
                .doesNotContain("secret");
        assertThat(get(context, "/outbox/events/unknown").statusCode()).isEqualTo(404);
        assertThat(get(context, "/outbox/events?status=odd").statusCode()).isEqualTo(400);
        assertThat(get(context, "/outbox/events?limit=0").statusCode()).isEqualTo(400);
        assertThat(get(context, "/outbox/nothing").statusCode()).isEqualTo(400);
    }

    @Test
    void withoutPermissionItChangesNothing() throws Exception {
        ConfigurableApplicationContext context = start();
        String id = deadEvent(context);

        assertThat(post(context, "/outbox/events/" + id, "{\"action\":\"replay\"}")
                        .statusCode())
                .isEqualTo(405);
    }

    @Test
    void withPermissionItReplaysSkipsAndShowsPayloads() throws Exception {
        ConfigurableApplicationContext context = start(
                "management.endpoint.outbox.access=unrestricted", "management.endpoint.outbox.show-values=always");
        String id = deadEvent(context);

        assertThat(get(context, "/outbox/events/" + id).body()).contains("secret");
        assertThat(post(context, "/outbox/events/" + id, "{\"action\":\"explode\"}")
                        .statusCode())
                .isEqualTo(400);
        assertThat(post(context, "/outbox/events/" + id, "{\"action\":\"skip\"}")
                        .body())
                .contains("\"done\":true");
        assertThat(get(context, "/outbox/events/" + id).body()).contains("\"status\":\"DONE\"");
        assertThat(post(context, "/outbox/events/" + id, "{\"action\":\"replay\"}")
                        .body())
                .contains("\"done\":false");
    }

    @Test
    void payloadsForAuthorizedUsersAreNotShownToOthers() throws Exception {
        ConfigurableApplicationContext context = start("management.endpoint.outbox.show-values=when-authorized");
        String id = deadEvent(context);

        assertThat(get(context, "/outbox/events/" + id).body())
                .contains("nobody.cares")
                .doesNotContain("secret");
    }

    @Test
    void itCanBeSwitchedOff() throws Exception {
        ConfigurableApplicationContext context = start("management.endpoint.outbox.access=none");
        assertThat(get(context, "/outbox").statusCode()).isEqualTo(404);
    }

    @Test
    void healthIsUpWithDeadEventsAndDownWithoutTable() throws Exception {
        ConfigurableApplicationContext context = start();
        deadEvent(context);
        assertThat(get(context, "/health/outbox").body())
                .contains("\"status\":\"UP\"")
                .contains("\"DEAD\":1");

        context.getBean(JdbcTemplate.class).execute("DROP TABLE outbox_event");
        assertThat(get(context, "/health/outbox").body())
                .contains("\"status\":\"DOWN\"")
                .contains("cannot be read");
    }

    @Test
    void healthIsDownWhenDeliveryStopped() throws Exception {
        ConfigurableApplicationContext context = start();
        context.getBean(outbox.Outbox.class).close();

        assertThat(get(context, "/health/outbox").body())
                .contains("\"status\":\"DOWN\"")
                .contains("\"delivery\":\"stopped\"");
    }

    @Test
    void healthIsUpBeforeDeliveryIsStartedByHand() throws Exception {
        ConfigurableApplicationContext context = start("outbox.auto-startup=false");
        assertThat(get(context, "/health/outbox").body())
                .contains("\"status\":\"UP\"")
                .contains("\"delivery\":\"not started\"");
    }

    /** A backlog, dead events or a stopped delivery are no reason to send no requests to a node. */
    @Test
    void readinessDoesNotDependOnTheOutboxUnlessItsGroupIncludesIt() throws Exception {
        ConfigurableApplicationContext context = start(
                "management.endpoint.health.probes.enabled=true",
                "management.endpoint.health.group.strict.include=readinessState,outbox");
        deadEvent(context);
        assertThat(get(context, "/health/strict").statusCode())
                .as("dead events")
                .isEqualTo(200);

        context.getBean(outbox.Outbox.class).close();
        assertThat(get(context, "/health").statusCode()).isEqualTo(503);
        assertThat(get(context, "/health/strict").statusCode()).isEqualTo(503);
        for (String probe : List.of("/health/readiness", "/health/liveness")) {
            HttpResponse<String> answer = get(context, probe);
            assertThat(answer.statusCode()).as(probe).isEqualTo(200);
            assertThat(answer.body()).doesNotContain("outbox");
        }
    }

    @Test
    void metersAreThere() throws Exception {
        ConfigurableApplicationContext context = start("outbox.metrics.prefix=shop.outbox");
        deadEvent(context);
        // It is counted after its row is written.
        await().untilAsserted(() -> assertThat(
                        get(context, "/metrics/shop.outbox.dispatch.dead").body())
                .contains("\"value\":1.0"));
    }
}
