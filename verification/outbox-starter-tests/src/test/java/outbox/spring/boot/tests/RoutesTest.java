package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;
import static outbox.spring.boot.tests.Apps.app;
import static outbox.spring.boot.tests.Apps.inTransaction;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import outbox.OutboxWriter;
import outbox.domain.DomainEventPublisher;
import outbox.domain.handler.EventRoute;
import outbox.spring.boot.tests.Apps.Mailer;
import outbox.spring.boot.tests.Apps.OrderPlaced;
import outbox.testing.server.EmbeddedKafka;
import outbox.testing.server.EmbeddedQpid;
import outbox.testing.server.EmbeddedRedis;
import outbox.webhook.WebhookSecret;

/** Events leave the process: routes by property and by bean, beside handlers, each with its own progress. */
class RoutesTest {
    private static final WebhookSecret SECRET = WebhookSecret.generate();

    private static void publish(ApplicationContext context, String order) {
        inTransaction(context, () -> context.getBean(DomainEventPublisher.class).publish(new OrderPlaced(order)));
    }

    private static int count(ApplicationContext context, int status) {
        Integer count = context.getBean(JdbcTemplate.class)
                .queryForObject("SELECT COUNT(*) FROM outbox_event WHERE status = ?", Integer.class, status);
        return count == null ? 0 : count;
    }

    private static String[] webhook(Receiver receiver, String... more) {
        List<String> properties = new ArrayList<>(List.of(
                "outbox.webhook.allow-http=true",
                "outbox.webhook.allowed-addresses=127.0.0.0/8",
                "outbox.webhook.endpoints.crm.url=" + receiver.url(),
                "outbox.webhook.endpoints.crm.secrets=" + SECRET.reveal(),
                "outbox.webhook.endpoints.crm.event-types=order.*",
                "outbox.webhook.endpoints.crm.retry.preset=quick"));
        properties.addAll(List.of(more));
        return properties.toArray(String[]::new);
    }

    /** The whole story: one event, a handler, two brokers and a webhook that fails once. */
    @Test
    void oneEventGoesToAHandlerTwoBrokersAndAWebhookEachWithItsOwnProgress() throws Exception {
        String topic = "orders-" + UUID.randomUUID();
        String queue = "orders-" + UUID.randomUUID();
        ConnectionFactory rabbit = new ConnectionFactory();
        rabbit.setUri(EmbeddedQpid.shared());
        try (Receiver receiver = new Receiver(SECRET, 500);
                Connection connection = rabbit.newConnection();
                Channel channel = connection.createChannel()) {
            channel.exchangeDeclare(queue, "topic");
            channel.queueDeclare(queue, false, false, true, Map.of());
            channel.queueBind(queue, queue, "#");
            app(Mailer.class)
                    .withPropertyValues(webhook(receiver))
                    .withPropertyValues(
                            "outbox.kafka.bootstrap-servers=" + EmbeddedKafka.shared(),
                            "outbox.kafka.event-types=order.*,payment.*",
                            "outbox.kafka.topic=" + topic,
                            "outbox.rabbitmq.uri=" + EmbeddedQpid.shared(),
                            "outbox.rabbitmq.exchange=" + queue,
                            "outbox.rabbitmq.routing-key={eventType}",
                            "eventType=an unrelated property",
                            "management.tracing.sampling.probability=1.0")
                    .run(context -> {
                        publish(context, "1");
                        await().until(() -> count(context, 1) == 1);

                        String id = context.getBean(JdbcTemplate.class)
                                .queryForObject("SELECT event_id FROM outbox_event", String.class);
                        assertThat(context.getBean(Mailer.class).mails).containsExactly("1");
                        assertThat(receiver.eventIds).containsExactly(id, id); // 500, then 204
                        List<ConsumerRecord<String, String>> records = records(topic, 1);
                        assertThat(records).hasSize(1);
                        String trace = new String(
                                records.get(0)
                                        .headers()
                                        .lastHeader("traceparent")
                                        .value(),
                                StandardCharsets.UTF_8);
                        assertThat(receiver.traces).containsOnly(trace);
                        GetResponse message = channel.basicGet(queue, true);
                        assertThat(message.getProps().getMessageId()).isEqualTo(id);
                        assertThat(message.getEnvelope().getRoutingKey()).isEqualTo("order.placed");
                        assertThat(channel.basicGet(queue, true)).isNull();
                        assertThat(context.getBean(JdbcTemplate.class)
                                        .queryForList(
                                                "SELECT handler FROM outbox_consumption WHERE state = 1", String.class))
                                .containsExactlyInAnyOrder("mailer", "kafka", "rabbitmq", "webhook-crm");

                        // a type that has no class here, and that only the brokers take
                        inTransaction(
                                context,
                                () -> context.getBean(OutboxWriter.class).write("payment.taken", "{\"paid\":1}"));
                        await().until(() -> count(context, 1) == 2);
                        assertThat(records(topic, 2))
                                .extracting(ConsumerRecord::value)
                                .containsExactlyInAnyOrder(records.get(0).value(), "{\"paid\":1}");
                        assertThat(receiver.eventIds).hasSize(2);
                    });
        }
    }

    private static List<ConsumerRecord<String, String>> records(String topic, int atLeast) {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers",
                EmbeddedKafka.shared(),
                "group.id",
                UUID.randomUUID().toString(),
                "auto.offset.reset",
                "earliest");
        List<ConsumerRecord<String, String>> records = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of(topic));
            await().atMost(Duration.ofSeconds(60)).until(() -> {
                consumer.poll(Duration.ofMillis(200)).forEach(records::add);
                return records.size() >= atLeast;
            });
        }
        return records;
    }

    /** Spring would replace it by a property of that name, from wherever one may come, and nobody would notice. */
    @Test
    void aTemplateThatSpringWouldFillInIsRefused() {
        app().withPropertyValues(
                        "aggregateType=an unrelated property",
                        "outbox.kafka.bootstrap-servers=localhost:9092",
                        "outbox.kafka.topic=outbox.${aggregateType}")
                .run(context -> assertThat(Apps.failureOf(context))
                        .hasMessageContaining("outbox.kafka.topic")
                        .hasMessageContaining("{aggregateType}"));
        app().withPropertyValues(
                        "outbox.rabbitmq.uri=amqp://localhost", "outbox.rabbitmq.routing-key=${eventType:none}")
                .run(context -> assertThat(Apps.failureOf(context))
                        .hasMessageContaining("outbox.rabbitmq.routing-key")
                        .hasMessageContaining("{eventType}"));
        app().withPropertyValues(
                        "stage=test",
                        "outbox.rabbitmq.uri=amqp://localhost",
                        "outbox.rabbitmq.exchange=${stage}-{tenantId}")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void aRouteCanBeABean() {
        List<String> sent = new CopyOnWriteArrayList<>();
        app().withBean(
                        EventRoute.class,
                        () -> EventRoute.to("audit", event -> sent.add(event.eventType()))
                                .eventTypes("*.placed"))
                .run(context -> {
                    publish(context, "1");
                    inTransaction(
                            context, () -> context.getBean(OutboxWriter.class).write("order.shipped", "{}"));
                    await().until(() -> count(context, 1) == 1 && count(context, 3) == 1);
                    assertThat(sent).containsExactly("order.placed");
                });
    }

    @Test
    void theGuardKeepsAnEventFromBeingSentTwice() {
        try (Receiver receiver = new Receiver(SECRET)) {
            app().withPropertyValues(webhook(
                            receiver,
                            "outbox.publish-guard.enabled=true",
                            "outbox.redis.uri=" + EmbeddedRedis.shared()))
                    .run(context -> {
                        JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
                        publish(context, "1");
                        await().until(() -> count(context, 1) == 1);

                        jdbc.update("UPDATE outbox_event SET status = 0, done_at = NULL"); // as if the mark was lost
                        await().until(() -> count(context, 1) == 1);
                        assertThat(receiver.eventIds).hasSize(1);
                    });
        }
    }

    @Test
    void anEndpointWithoutSecretIsNamed() {
        app().withPropertyValues("outbox.webhook.endpoints.crm.url=https://crm.example.com/in")
                .run(context -> assertThat(Apps.failureOf(context))
                        .hasMessageStartingWith(
                                "outbox.webhook.endpoints.crm.secrets is not set, and unsigned requests are not sent"));
    }

    @Test
    void theGuardWithoutAnAddressSaysSo() {
        app().withBean(EventRoute.class, () -> EventRoute.to("audit", event -> {}))
                .withPropertyValues("outbox.publish-guard.enabled=true")
                .run(context -> assertThat(Apps.failureOf(context))
                        .hasMessageContaining("there is no Redis for outbox.publish-guard.enabled=true")
                        .hasMessageContaining("outbox.redis.uri"));
    }

    @Test
    void propertiesOfAModuleThatIsNotThereAreAMistake() {
        app().withClassLoader(new FilteredClassLoader("outbox.kafka"))
                .withPropertyValues("outbox.kafka.bootstrap-servers=localhost:9092")
                .run(context -> assertThat(Apps.failureOf(context))
                        .hasMessageContaining(
                                "the properties outbox.kafka.bootstrap-servers are set, but their module is not on")
                        .hasMessageContaining("Add dev.outbox:outbox-kafka"));
        app().withPropertyValues("outbox.control-center.read-only=true")
                .run(context -> assertThat(Apps.failureOf(context))
                        .hasMessageContaining("Add dev.outbox:outbox-control-center"));
    }

    static Stream<Arguments> settingsThatLeadNowhere() {
        return Stream.of(
                arguments("outbox.kafka.event-types=order.*", "spring.kafka.bootstrap-servers"),
                arguments("outbox.kafka.producer.compression.type=lz4", "outbox.kafka.bootstrap-servers"),
                arguments("outbox.rabbitmq.exchange=orders", "spring.rabbitmq.host"),
                arguments("outbox.webhook.allow-http=true", "outbox.webhook.endpoints"),
                arguments("outbox.redis.uri=redis://localhost:1", "outbox.handlers.tracking=redis"),
                arguments("outbox.publish-guard.ttl=1h", "outbox.publish-guard.enabled=true"),
                arguments("outbox.cdc.username=reader", "outbox.cdc.enabled=true"));
    }

    @ParameterizedTest
    @MethodSource
    void settingsThatLeadNowhere(String setting, String missing) {
        app(Mailer.class)
                .withPropertyValues(setting)
                .run(context -> assertThat(Apps.failureOf(context))
                        .hasMessageContaining(setting.substring(0, setting.indexOf('=')))
                        .hasMessageContaining(missing));
    }

    @Test
    void aGuardWithoutARouteLeadsNowhere() {
        app(Mailer.class)
                .withPropertyValues("outbox.publish-guard.enabled=true", "outbox.redis.uri=redis://localhost:1")
                .run(context -> assertThat(Apps.failureOf(context))
                        .hasMessageContaining("outbox.publish-guard.enabled")
                        .hasMessageContaining("route"));
    }

    @Test
    void whatIsSwitchedOffMayHaveSettings() {
        app(Mailer.class)
                .withPropertyValues(
                        "outbox.cdc.enabled=false",
                        "outbox.cdc.username=reader",
                        "outbox.publish-guard.enabled=false",
                        "outbox.publish-guard.ttl=1h")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void springsOwnBrokersAreEnoughForKafka() {
        String topic = "orders-" + UUID.randomUUID();
        app().withPropertyValues(
                        "spring.kafka.bootstrap-servers=" + EmbeddedKafka.shared(),
                        "outbox.kafka.event-types=order.*",
                        "outbox.kafka.topic=" + topic)
                .run(context -> {
                    publish(context, "1");
                    await().until(() -> count(context, 1) == 1);
                    assertThat(records(topic, 1)).hasSize(1);
                });
    }

    @Test
    void handlersAndRoutesAreLoggedAtTheStart() {
        Logger logger = Logger.getLogger("outbox.spring.boot.HandlerSetup");
        List<String> lines = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                lines.add(line.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        logger.addHandler(handler);
        try {
            app(Mailer.class)
                    .withPropertyValues(
                            "outbox.rabbitmq.uri=amqp://localhost:1", "outbox.rabbitmq.event-types=order.*,payment.*")
                    .run(context -> assertThat(lines)
                            .containsExactly("outbox 'outbox' delivers to handlers [mailer] and routes [rabbitmq"
                                    + " [order.*, payment.*]]"));
        } finally {
            logger.removeHandler(handler);
        }
    }

    /** A password must not come out in a message. */
    @Test
    void aBadAddressOfRabbitIsNotRepeated() {
        app().withPropertyValues("outbox.rabbitmq.uri=http://user:hidden@host")
                .run(context -> assertThat(Apps.failureOf(context))
                        .hasMessageContaining("outbox.rabbitmq.uri is no address")
                        .hasMessageNotContaining("hidden"));
    }
}
