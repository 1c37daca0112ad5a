package outbox.dashboards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.domain.DomainEvent;
import outbox.domain.DomainEventPublisher;
import outbox.micrometer.MicrometerMetricsExporter;
import outbox.samples.shop.ShopApplication;

/**
 * A real Prometheus scrapes the shop while everything goes wrong in it at once: each alert fires, and each query of the
 * dashboard has data. Not run where Prometheus is not installed, unless {@code -Doutbox.test.required=prometheus} asks
 * for it.
 */
class PrometheusIT {
    private static final Duration PATIENCE = Duration.ofMinutes(3); // a busy machine is no failure

    @TempDir
    private static Path directory;

    private static ConfigurableApplicationContext shop;
    private static HttpServer secondNode;
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
        secondNode = node();
        prometheus = InstalledPrometheus.start(directory, configuration());
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(prometheus.query("outbox_pending")).hasSize(2));

        publish(10, Faults.Refused::new);
        publish(5, Faults.Broken::new);
        publish(1, Faults.Hung::new);
        assertThat(post("/api/orders/burst", "{\"count\": 40}")).isEqualTo(201);
        assertThat(order("BANK_OUT")).isEqualTo(201); // a dead letter after four attempts
        load = Executors.newSingleThreadScheduledExecutor();
        load.scheduleWithFixedDelay(PrometheusIT::everySecond, 0, 1, TimeUnit.SECONDS);

        stealALease();
        fallBehindWithCdc();
        secondNode.stop(0);
    }

    @AfterAll
    static void end() throws Exception {
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
            secondNode.stop(0);
        }
    }

    static Stream<String> alerts() throws IOException {
        return DashboardFiles.alerts().stream();
    }

    @ParameterizedTest
    @MethodSource("alerts")
    void eachAlertFires(String alert) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(prometheus.query(
                                "count_over_time(ALERTS{alertname=\"" + alert + "\", alertstate=\"firing\"}[1h])"))
                        .isNotEmpty());
    }

    static Stream<DashboardFiles.Query> queries() throws IOException {
        return DashboardFiles.queries().stream();
    }

    @ParameterizedTest
    @MethodSource("queries")
    void eachQueryOfTheDashboardHasData(DashboardFiles.Query query) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(prometheus.query(query.resolved()))
                        .as(query.resolved())
                        .anyMatch(value -> !value.equals("NaN")));
    }

    /** One second instead of minutes, and thresholds that a test reaches; all else as shipped. */
    private static String configuration() throws IOException {
        String rules = Files.readString(DashboardFiles.RULES)
                .replaceAll("for: \\d+m", "for: 1s")
                .replace("> 300", "> 1")
                .replace("> 1000", "> 100")
                .replace("> 30\n", "> 1\n");
        Files.writeString(directory.resolve("rules.yml"), rules);
        return """
                global: { scrape_interval: 1s, evaluation_interval: 1s }
                rule_files: [ rules.yml ]
                scrape_configs:
                  - job_name: shop
                    metrics_path: /actuator/prometheus
                    static_configs: [ { targets: [ "localhost:%s" ] } ]
                  - job_name: second
                    static_configs: [ { targets: [ "127.0.0.1:%d" ] } ]
                """.formatted(port(), secondNode.getAddress().getPort());
    }

    /** What another node would answer, until it is stopped. */
    private static HttpServer node() throws IOException {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        new MicrometerMetricsExporter(registry);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/metrics", exchange -> {
            byte[] body = registry.scrape().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        return server;
    }

    /** Some deliveries that succeed, and more that wait. */
    private static void everySecond() {
        try {
            order("GOOD");
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

    /** The shop has no relay: its values are set as one would report them. */
    private static void fallBehindWithCdc() {
        MicrometerMetricsExporter relay = new MicrometerMetricsExporter(shop.getBean(MeterRegistry.class));
        relay.recordCdcLag(Duration.ofMinutes(2));
        relay.recordCdcRetainedBytes(2L << 30);
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
