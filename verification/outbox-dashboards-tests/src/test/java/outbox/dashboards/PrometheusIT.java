package outbox.dashboards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.domain.DomainEvent;
import outbox.domain.DomainEventPublisher;
import outbox.samples.shop.ShopApplication;
import tools.jackson.databind.JsonNode;

/**
 * A real Prometheus scrapes the shop and a CDC relay while everything goes wrong at once: each alert fires, and each
 * query of the dashboard has data, all but one above zero. Not run where Prometheus is not installed, unless {@code -Doutbox.test.required=prometheus} asks
 * for it.
 */
class PrometheusIT {
    private static final Duration PATIENCE = Duration.ofMinutes(3); // a busy machine is no failure

    @TempDir
    private static Path directory;

    /** Each alert, and the fault that has to fire it. */
    static final Map<String, String> FAULTS = Map.ofEntries(
            Map.entry("OutboxBacklogOld", "a handler that does not come to an end"),
            Map.entry("OutboxBacklogGrowing", "60 more events a second for that handler"),
            Map.entry("OutboxDeadLetters", "the shop's bank is out: four attempts fail"),
            Map.entry("OutboxDeliveriesFailing", "ten events whose handler throws at each attempt"),
            Map.entry("OutboxBreakerOpen", "a handler that throws, with a breaker after three failures"),
            Map.entry("OutboxListenerHung", "a handler that ignores its interruption at the time limit"),
            Map.entry("OutboxLeaseLost", "a lease in the table given to another owner while its event is in flight"),
            Map.entry("OutboxHotQueueFull", "a hot queue of 20 for 60 events in one transaction"),
            Map.entry("OutboxCdcLag", "a CDC relay on PostgreSQL whose receiver refuses an event"),
            Map.entry("OutboxCdcRetained", "10 MB of log written behind that event"),
            Map.entry("OutboxNodeDown", "the process of a second shop killed"),
            Map.entry("OutboxAllNodesDown", "the same: it was the only node of its job"));

    /** Workers empty the hot queue within microseconds: a scrape sees events in it by chance alone. */
    private static final String MAY_BE_ZERO = "outbox_queue_hot_depth";

    private static final RunTables TABLES = new RunTables();
    private static ConfigurableApplicationContext shop;
    private static KilledNode secondNode;
    private static RelayNode relay;
    private static InstalledPrometheus prometheus;
    private static ScheduledExecutorService load;

    @BeforeAll
    static void breakEverything() throws Exception {
        InstalledPrometheus.require();
        shop = new SpringApplicationBuilder(ShopApplication.class, Faults.class)
                .run(
                        "--server.port=0",
                        "--shop.card-delay=1ms",
                        "--shop.mail-delay=1ms",
                        "--shop.retry-delay=20ms",
                        "--outbox.dispatch.workers=8",
                        "--outbox.dispatch.hot-queue-capacity=20");
        secondNode = new KilledNode(directory);
        relay = new RelayNode();
        prometheus = InstalledPrometheus.start(directory, configuration());
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(prometheus.query("outbox_pending")).hasSize(3));

        publish(10, Faults.Refused::new);
        publish(5, Faults.Broken::new);
        publish(1, Faults.Hung::new);
        assertThat(post("/api/orders/burst", "{\"count\": 40}")).isEqualTo(201);
        assertThat(order("BANK_OUT")).isEqualTo(201); // a dead letter after four attempts
        load = Executors.newSingleThreadScheduledExecutor();
        load.scheduleWithFixedDelay(PrometheusIT::everySecond, 0, 1, TimeUnit.SECONDS);

        stealALease();
        relay.fallBehind();
        secondNode.close();
    }

    @AfterAll
    static void end() throws Exception {
        TABLES.write();
        if (load != null) {
            load.shutdownNow();
            assertThat(load.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        }
        if (prometheus != null) {
            prometheus.close();
        }
        if (shop != null) {
            shop.getBean(Faults.class).over.countDown();
            shop.close();
        }
        if (secondNode != null) {
            secondNode.close();
        }
        if (relay != null) {
            relay.close();
        }
    }

    @Test
    void eachAlertHasAFault() throws IOException {
        assertThat(FAULTS.keySet()).containsExactlyInAnyOrderElementsOf(DashboardFiles.alerts());
    }

    static Stream<String> alerts() throws IOException {
        return DashboardFiles.alerts().stream();
    }

    @ParameterizedTest
    @MethodSource("alerts")
    void eachAlertFires(String alert) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(prometheus.firing(alert)).isPresent());
        JsonNode annotations = prometheus.firing(alert).orElseThrow().path("annotations");
        String message = annotations.path("summary").asString();
        assertThat(message).isNotBlank().doesNotContain("<no value>", "<error");
        assertThat(annotations.path("runbook_url").asString()).endsWith(".md");
        TABLES.fired(alert, message.replaceAll("(localhost|127\\.0\\.0\\.1):\\d+", "localhost"));
    }

    static Stream<DashboardFiles.Query> queries() throws IOException {
        return DashboardFiles.queries().stream();
    }

    @ParameterizedTest
    @MethodSource("queries")
    void eachQueryOfTheDashboardHasData(DashboardFiles.Query query) {
        String highest = "max(max_over_time((" + query.resolved() + ")[15m:1s]))";
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(prometheus.query(highest))
                        .as(query.resolved())
                        .singleElement()
                        .satisfies(value -> assertThat(value)
                                .isFinite()
                                .isGreaterThanOrEqualTo(
                                        query.expression().contains(MAY_BE_ZERO) ? 0 : Double.MIN_VALUE)));
        TABLES.had(query, prometheus.query(highest).get(0));
    }

    /** One second instead of minutes, and thresholds that a test reaches; all else as shipped. */
    private static String configuration() throws IOException {
        String rules = Files.readString(DashboardFiles.RULES)
                .replaceAll("for: \\d+m", "for: 1s")
                .replace("offset 10m", "offset 10s")
                .replace("> 300", "> 1")
                .replace("> 1000", "> 100")
                .replace("> 30\n", "> 1\n")
                .replace("> 60\n", "> 1\n")
                .replace("> 1073741824", "> 10000000");
        Files.writeString(directory.resolve("rules.yml"), rules);
        return """
                global: { scrape_interval: 1s, evaluation_interval: 1s }
                rule_files: [ rules.yml ]
                scrape_configs:
                  - job_name: shop
                    metrics_path: /actuator/prometheus
                    static_configs: [ { targets: [ "localhost:%s" ] } ]
                  - job_name: second
                    metrics_path: /actuator/prometheus
                    static_configs: [ { targets: [ "localhost:%d" ] } ]
                  - job_name: relay
                    static_configs: [ { targets: [ "127.0.0.1:%d" ] } ]
                """.formatted(port(), secondNode.port(), relay.port());
    }

    /** Some deliveries that succeed, and more that wait. */
    private static void everySecond() {
        try {
            order("GOOD");
            publish(1, Faults.Late::new);
            publish(60, Faults.Slow::new); // more than the hot queue takes at once
        } catch (Exception e) {
            throw new IllegalStateException(e); // ends the load; the tests say what is missing
        }
    }

    private static void publish(int count, Supplier<DomainEvent> event) {
        DomainEventPublisher events = shop.getBean(DomainEventPublisher.class);
        shop.getBean(TransactionTemplate.class).executeWithoutResult(status -> {
            for (int i = 0; i < count; i++) {
                events.publish(event.get());
            }
        });
    }

    /** What a node that stood still for too long would find. */
    private static void stealALease() {
        Faults faults = shop.getBean(Faults.class);
        await().atMost(PATIENCE).until(() -> !faults.slow.isEmpty());
        int stolen = shop.getBean(JdbcTemplate.class)
                .update(
                        "UPDATE outbox_event SET locked_by = 'thief/1', locked_at = CURRENT_TIMESTAMP WHERE event_id = ?",
                        faults.slow.iterator().next());
        assertThat(stolen).isEqualTo(1);
    }

    private static String port() {
        return shop.getEnvironment().getRequiredProperty("local.server.port");
    }

    private static int order(String card) throws IOException, InterruptedException {
        return post(
                "/api/orders",
                "{\"item\": \"lamp\", \"cents\": 1999, \"card\": \"" + card + "\", \"email\": \"ada@mail.example\"}");
    }

    private static int post(String path, String body) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://localhost:" + port() + path))
                                .header("Content-Type", "application/json")
                                .header("Idempotency-Key", DomainEvent.newId())
                                .POST(HttpRequest.BodyPublishers.ofString(body))
                                .build(),
                        HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }
}
