package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static outbox.spring.boot.tests.Apps.app;
import static outbox.spring.boot.tests.Apps.inTransaction;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.util.StringUtils;
import outbox.domain.DomainEventPublisher;
import outbox.spring.boot.tests.Apps.Mailer;
import outbox.spring.boot.tests.Apps.OrderPlaced;
import outbox.testing.server.EmbeddedKafka;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.TestDatabase;

/** Settings of modules reach what they are for. */
class ModuleSettingsTest {
    /** What else an application must set before its part looks at the value. */
    private static final Map<String, List<String>> NEEDED = Map.of(
            "outbox.kafka",
            List.of("outbox.kafka.bootstrap-servers=127.0.0.1:1"),
            "outbox.rabbitmq",
            List.of("outbox.rabbitmq.uri=amqp://127.0.0.1:1"),
            "outbox.webhook",
            List.of(
                    "outbox.webhook.endpoints.crm.url=https://crm.example.com/in",
                    "outbox.webhook.endpoints.crm.secrets=whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"),
            "outbox.encryption",
            List.of(
                    "outbox.encryption.enabled=true",
                    "outbox.encryption.application=shop",
                    "outbox.encryption.keys.one=MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="),
            "outbox.dispatch",
            List.of());

    @ParameterizedTest
    @ValueSource(
            strings = {
                "outbox.dispatch.cold-queue-capacity=0",
                "outbox.dispatch.hot-queue-capacity=0",
                "outbox.dispatch.drain-timeout=-1s",
                "outbox.kafka.retry.max-attempts=0",
                "outbox.kafka.time-limit=-1s",
                "outbox.rabbitmq.retry.max-attempts=0",
                "outbox.rabbitmq.confirm-timeout=0s",
                "outbox.encryption.data-key-uses=0",
                "outbox.encryption.data-key-age=0s"
            })
    void aValueThatCannotBeUsedIsReportedAsTheProperty(String setting) {
        String property = setting.substring(0, setting.indexOf('='));
        String module =
                Arrays.stream(property.split("\\.")).limit(2).reduce("", (a, b) -> a.isEmpty() ? b : a + "." + b);
        app(Mailer.class)
                .withPropertyValues(StringUtils.toStringArray(NEEDED.get(module)))
                .withPropertyValues(setting)
                .run(context -> assertThat(Apps.failureOf(context))
                        .hasMessageStartingWith("Property " + property + " with value '"));
    }

    /** Before anything connects to the log; the server is needed for its kind alone. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "outbox.cdc.name=no name",
                "outbox.cdc.workers=0",
                "outbox.cdc.batch-size=0",
                "outbox.cdc.heartbeat=0s",
                "outbox.cdc.retry-interval=0s",
                "outbox.cdc.warn-above-retained=0B"
            })
    void aValueThatCdcCannotUseIsReportedAsTheProperty(String setting) {
        TestDatabase database = EmbeddedPostgres.shared().freshDatabase();
        app(Mailer.class)
                .withPropertyValues(
                        "spring.datasource.url=" + database.jdbcUrl(),
                        "spring.datasource.username=" + database.username(),
                        "spring.datasource.password=" + database.password(),
                        "outbox.schema.mode=always",
                        "outbox.mode=writer-only",
                        "outbox.cdc.enabled=true",
                        setting)
                .run(context -> assertThat(Apps.failureOf(context))
                        .hasMessageStartingWith(
                                "Property " + setting.substring(0, setting.indexOf('=')) + " with value '"));
    }

    @Test
    void cdcOfADatabaseWithoutAReadableLogIsRefused() {
        app(Mailer.class)
                .withPropertyValues("outbox.mode=writer-only", "outbox.cdc.enabled=true")
                .run(context -> assertThat(Apps.failureOf(context))
                        .hasMessageContaining("outbox.cdc.enabled is true, and the outbox is in h2")
                        .hasMessageContaining("CDC reads PostgreSQL, MySQL and MariaDB"));
    }

    private static void publish(ApplicationContext context, String order) {
        inTransaction(context, () -> context.getBean(DomainEventPublisher.class).publish(new OrderPlaced(order)));
    }

    @Test
    void aDeliveredRowIsDeletedIfTheApplicationSaysSo() {
        app(Mailer.class)
                .withPropertyValues("outbox.dispatch.completion=delete", "outbox.handlers.tracking=jdbc")
                .run(context -> {
                    publish(context, "1");
                    await().untilAsserted(() -> assertThat(context.getBean(JdbcTemplate.class)
                                    .queryForObject("SELECT COUNT(*) FROM outbox_event", Integer.class))
                            .isZero());
                    assertThat(context.getBean(Mailer.class).mails).containsExactly("1");
                });
    }

    @Test
    void kafkaRecordsHaveTheFormatAndTheSourceThatAreSet() {
        String topic = "settings-" + UUID.randomUUID();
        app().withPropertyValues(
                        "outbox.kafka.bootstrap-servers=" + EmbeddedKafka.shared(),
                        "outbox.kafka.topic=" + topic,
                        "outbox.kafka.format=cloudevents-binary",
                        "outbox.kafka.cloud-events-source=/shop/orders")
                .run(context -> {
                    publish(context, "1");
                    ConsumerRecord<String, String> event = first(topic);
                    assertThat(new String(
                                    event.headers().lastHeader("ce_source").value(), StandardCharsets.UTF_8))
                            .isEqualTo("/shop/orders");
                    assertThat(new String(event.headers().lastHeader("ce_type").value(), StandardCharsets.UTF_8))
                            .isEqualTo("order.placed");
                });
    }

    private static ConsumerRecord<String, String> first(String topic) {
        List<ConsumerRecord<String, String>> records = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        EmbeddedKafka.shared(),
                        "group.id",
                        UUID.randomUUID().toString(),
                        "auto.offset.reset",
                        "earliest"),
                new StringDeserializer(),
                new StringDeserializer())) {
            consumer.subscribe(List.of(topic));
            await().until(() -> {
                consumer.poll(Duration.ofMillis(200)).forEach(records::add);
                return !records.isEmpty();
            });
        }
        return records.get(0);
    }
}
