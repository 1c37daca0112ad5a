package shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import jakarta.mail.internet.MimeMessage;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.awaitility.Awaitility;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.core.ProducerFactory;
import org.springframework.security.web.SecurityFilterChain;
import outbox.testing.server.EmbeddedKafka;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.TestDatabase;

/**
 * An application that was built without the outbox gets it: two dependencies, the annotation that makes a class an event,
 * and the topic. All that it is made of keeps working. What it was before is simulated by {@code outbox.enabled=false}.
 */
class AddedOutboxTest {
    private static final Path SOURCES = Path.of("..", "src", "existing");
    private static final String HISTORY = "SELECT * FROM flyway_schema_history ORDER BY installed_rank";

    private static GreenMail mails;
    private static TestDatabase database;
    private static List<Map<String, Object>> historyBefore;
    private static ConfigurableApplicationContext shop;

    @BeforeAll
    static void addTheOutbox() throws Exception {
        Awaitility.setDefaultTimeout(Duration.ofSeconds(60)); // a busy machine is no failure
        ServerSetup smtp = new ServerSetup(0, "127.0.0.1", ServerSetup.PROTOCOL_SMTP);
        smtp.setServerStartupTimeout(30_000);
        mails = new GreenMail(smtp);
        mails.setUser("shop@example.com", "shop@example.com", "mail-password");
        mails.start();
        database = EmbeddedPostgres.shared().freshDatabase();
        shop = start("--outbox.enabled=false");
        try {
            assertThat(order(shop, "anna", "lamp").statusCode()).isEqualTo(200);
            historyBefore = jdbc().queryForList(HISTORY);
            assertThat(historyBefore).extracting(row -> row.get("version")).hasSize(2);
        } finally {
            shop.close();
        }
        shop = start();
    }

    @AfterAll
    static void stop() {
        if (shop != null) {
            shop.close();
        }
        mails.stop();
    }

    /** The servers are named by connection details, as {@code @ServiceConnection} makes them, and by no property. */
    private static ConfigurableApplicationContext start(String... arguments) {
        return new SpringApplicationBuilder(ShopApplication.class)
                .initializers(context -> Servers.register(context, database, EmbeddedKafka.shared()))
                .run(Stream.concat(
                                Stream.of(arguments),
                                Stream.of(
                                        "--server.port=0",
                                        "--server.address=127.0.0.1",
                                        "--spring.mail.host=127.0.0.1",
                                        "--spring.mail.port=" + mails.getSmtp().getPort()))
                        .toArray(String[]::new));
    }

    private static JdbcTemplate jdbc() {
        return shop.getBean(JdbcTemplate.class);
    }

    private static int count(String from) {
        return jdbc().queryForObject("SELECT COUNT(*) FROM " + from, Integer.class);
    }

    /** @param user {@code null} for nobody */
    private static HttpResponse<String> send(ConfigurableApplicationContext to, String method, String path, String user)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + to.getEnvironment().getProperty("local.server.port") + path))
                .method(method, HttpRequest.BodyPublishers.noBody());
        if (user != null) {
            String login = Base64.getEncoder()
                    .encodeToString((user + ":" + user + "-password").getBytes(StandardCharsets.UTF_8));
            request.header("Authorization", "Basic " + login);
        }
        return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
    }

    private static HttpResponse<String> order(ConfigurableApplicationContext to, String user, String item)
            throws IOException, InterruptedException {
        return send(to, "POST", "/orders?item=" + URLEncoder.encode(item, StandardCharsets.UTF_8), user);
    }

    /** The first record of a topic whose value contains a text. */
    private static ConsumerRecord<String, String> received(String topic, String text) {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers",
                EmbeddedKafka.shared(),
                "group.id",
                UUID.randomUUID().toString(),
                "auto.offset.reset",
                "earliest");
        List<ConsumerRecord<String, String>> found = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of(topic));
            await().until(() -> {
                consumer.poll(Duration.ofMillis(200)).forEach(one -> {
                    if ((one.key() + one.value()).contains(text)) {
                        found.add(one);
                    }
                });
                return !found.isEmpty();
            });
        }
        return found.get(0);
    }

    @Test
    void nothingElseHadToBeWritten() throws IOException {
        try (Stream<Path> files = Files.list(SOURCES.resolve("java/shop"))) {
            List<String> aware = files.filter(file -> !List.of("AddedOutboxTest.java", "Servers.java")
                            .contains(file.getFileName().toString()))
                    .filter(file -> contains(file, "outbox"))
                    .map(file -> file.getFileName().toString())
                    .toList();
            assertThat(aware).containsExactly("OrderPlaced.java");
        }
        assertThat(Files.readAllLines(SOURCES.resolve("java/shop/OrderPlaced.java")))
                .filteredOn(line -> line.contains("outbox") || line.contains("@"))
                .containsExactly("import outbox.domain.EventName;", "@EventName(\"order.placed\")");
        assertThat(Files.readAllLines(SOURCES.resolve("resources/application.properties")))
                .filteredOn(line -> line.contains("outbox"))
                .containsExactly("outbox.kafka.topic=orders");
    }

    private static boolean contains(Path file, String word) {
        try {
            return Files.readString(file).contains(word);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void theEventOfACommittedOrderArrivesAtTheApplicationsBroker() throws Exception {
        String id = order(shop, "anna", "chair").body();

        ConsumerRecord<String, String> event = received("orders", id);
        assertThat(event.value().replace(" ", "")).contains("\"customer\":\"anna\"", "\"item\":\"chair\"");
        assertThat(new String(event.headers().lastHeader("eventType").value(), StandardCharsets.UTF_8))
                .isEqualTo("order.placed");
        await().until(() -> count("outbox_event WHERE status = 1 AND payload::text LIKE '%" + id + "%'") == 1);
    }

    @Test
    void aRollbackWritesNothing() throws Exception {
        assertThat(order(shop, "anna", "sold out").statusCode()).isEqualTo(409);

        assertThat(count("orders WHERE item = 'sold out'")).isZero();
        assertThat(count("outbox_event WHERE payload::text LIKE '%sold out%'")).isZero();
    }

    @Test
    void itsMailsAndItsOwnRecordsAreSentAsBefore() throws Exception {
        assertThat(order(shop, "anna", "table").statusCode()).isEqualTo(200);

        await().until(() -> {
            for (MimeMessage mail : mails.getReceivedMessages()) {
                if (mail.getSubject().equals("Your order of table")) {
                    return true;
                }
            }
            return false;
        });
        assertThat(received("stock", "table").value()).isEqualTo("-1");
        ProducerFactory<?, ?> producers = shop.getBean(ProducerFactory.class);
        assertThat(producers.getConfigurationProperties()).containsEntry("acks", "1");
    }

    @Test
    void itsMigrationsAreWhatTheyWereAndTheTablesOfTheOutboxHaveTheirOwnHistory() {
        assertThat(jdbc().queryForList(HISTORY)).isEqualTo(historyBefore);
        Flyway own = shop.getBean(Flyway.class);
        own.validate();
        assertThat(own.info().all())
                .extracting(migration -> migration.getVersion().getVersion())
                .containsExactly("20240115103000", "20250301090000");
        assertThat(count("outbox_schema_history WHERE success")).isPositive();
    }

    @Test
    void itsSecurityIsWhatItWas() throws Exception {
        assertThat(shop.getBeansOfType(SecurityFilterChain.class)).containsOnlyKeys("chain");
        for (String path : List.of("/orders?item=lamp", "/actuator/outbox", "/outbox", "/anything")) {
            assertThat(send(shop, "POST", path, null).statusCode()).as(path).isEqualTo(401);
        }
        assertThat(order(shop, "somebody", "lamp").statusCode()).isEqualTo(401);
        assertThat(send(shop, "GET", "/actuator/outbox", "anna").statusCode())
                .as("not exposed")
                .isEqualTo(404);
        assertThat(send(shop, "GET", "/actuator/health", null).body()).doesNotContain("outbox");
    }

    @Test
    void itsHealthHasTheOutbox() throws Exception {
        assertThat(send(shop, "GET", "/actuator/health", "anna").body())
                .contains("\"outbox\":{", "\"db\":{", "\"mail\":{")
                .startsWith("{")
                .doesNotContain("DOWN");
    }
}
