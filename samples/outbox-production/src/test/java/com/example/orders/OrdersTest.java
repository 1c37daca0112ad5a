package com.example.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import outbox.testing.server.EmbeddedKafka;

/** The whole application on its real servers. */
@SpringBootTest(
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {
            "server.address=127.0.0.1",
            "management.prometheus.metrics.export.enabled=true" // off in tests by default
        })
class OrdersTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Value("${local.server.port}")
    int port;

    @Autowired
    JdbcTemplate jdbc;

    @DynamicPropertySource
    static void servers(DynamicPropertyRegistry registry) {
        Servers.register(registry);
    }

    private HttpResponse<String> send(String method, String path, String authorization)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .method(method, BodyPublishers.noBody());
        if (authorization != null) {
            request.header("Authorization", authorization);
        }
        return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
    }

    private static String login(String user) {
        return "Basic "
                + Base64.getEncoder()
                        .encodeToString((user + ":" + user + "-password").getBytes(StandardCharsets.UTF_8));
    }

    private static ConsumerRecord<String, String> received(String key) {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", EmbeddedKafka.shared(),
                "group.id", UUID.randomUUID().toString(),
                "auto.offset.reset", "earliest");
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of("orders"));
            return await().atMost(PATIENCE)
                    .until(
                            () -> {
                                for (ConsumerRecord<String, String> each : consumer.poll(Duration.ofMillis(200))) {
                                    if (key.equals(each.key())) {
                                        return each;
                                    }
                                }
                                return null;
                            },
                            found -> found != null);
        }
    }

    @Test
    void anOrderReachesTheStockAndKafka() throws Exception {
        HttpResponse<String> answer = send("POST", "/orders?item=chair&pieces=2", login("shop"));

        assertThat(answer.statusCode()).isEqualTo(201);
        assertThat(received(answer.body()).value().replace(" ", ""))
                .contains("\"customer\":\"shop\"", "\"item\":\"chair\"", "\"pieces\":2");
        await().atMost(PATIENCE)
                .until(() -> jdbc.queryForObject("SELECT reserved FROM stock WHERE item = 'chair'", int.class) == 2);
    }

    @Test
    void theTablesOfTheOutboxHaveAHistoryOfTheirOwn() {
        assertThat(jdbc.queryForList("SELECT version FROM flyway_schema_history", String.class))
                .containsExactly("1");
        assertThat(jdbc.queryForObject("SELECT count(*) FROM outbox_schema_history WHERE success", int.class))
                .isPositive();
    }

    @Test
    void theControlCenterIsForOperatorsAndForTokens() throws Exception {
        String events = "/outbox/api/v1/apps/outbox/events";
        assertThat(send("GET", "/outbox/", null).statusCode())
                .as("to the login")
                .isEqualTo(302);
        assertThat(send("GET", events, login("shop")).statusCode()).isEqualTo(302);
        assertThat(send("GET", events, "Bearer 0123456789abcdef0123456789abcdef")
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void everythingElseIsClosed() throws Exception {
        assertThat(send("POST", "/orders?item=chair&pieces=1", null).statusCode())
                .isEqualTo(401);
        assertThat(send("POST", "/orders?item=chair&pieces=1", login("ops")).statusCode())
                .isEqualTo(403);
        assertThat(send("GET", "/actuator/prometheus", login("shop")).statusCode())
                .isEqualTo(403);
        assertThat(send("GET", "/somewhere", login("shop")).statusCode()).isEqualTo(403);
    }

    @Test
    void probesAndMetricsAreThere() throws Exception {
        assertThat(send("GET", "/actuator/health/liveness", null).statusCode()).isEqualTo(200);
        assertThat(send("GET", "/actuator/health/readiness", null).statusCode()).isEqualTo(200);
        assertThat(send("GET", "/actuator/prometheus", login("prometheus")).body())
                .contains("outbox_");
    }
}
