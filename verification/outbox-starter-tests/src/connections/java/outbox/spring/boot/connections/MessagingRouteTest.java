package outbox.spring.boot.connections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static outbox.spring.boot.connections.Shop.awaitDone;
import static outbox.spring.boot.connections.Shop.shop;

import jakarta.jms.BytesMessage;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.Message;
import jakarta.jms.TextMessage;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.integration.channel.DirectChannel;
import org.springframework.integration.channel.ExecutorChannel;
import org.springframework.integration.channel.QueueChannel;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.messaging.MessageChannel;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.EventEnvelope;
import outbox.OutboxWriter;
import outbox.RetryAfterException;

/** Events leave through a channel of Spring Messaging: here to JMS, by Spring Integration and an Artemis in this JVM. */
class MessagingRouteTest {
    private static final EventEnvelope ORDER = EventEnvelope.builder("order.placed")
            .aggregateType("Order")
            .aggregateId("42")
            .tenantId("acme")
            .header("traceparent", "00-1-2-01")
            .header("id", "not a header of Spring's")
            .header("errorChannel", "nullChannel")
            .payloadJson("{\"secret\":\"hidden\"}")
            .build();

    private static EmbeddedActiveMQ artemis;

    @BeforeAll
    static void startArtemis() throws Exception {
        Configuration settings = new ConfigurationImpl()
                .setPersistenceEnabled(false)
                .setSecurityEnabled(false)
                .setJMXManagementEnabled(false)
                .addAcceptorConfiguration("in-vm", "vm://0");
        artemis = new EmbeddedActiveMQ().setConfiguration(settings);
        artemis.start();
    }

    @AfterAll
    static void stopArtemis() throws Exception {
        artemis.stop();
    }

    private static ApplicationContextRunner channelShop(String... settings) {
        return shop("outbox.messaging.channel=events").withPropertyValues(settings);
    }

    private static ApplicationContextRunner channelShop(MessageChannel channel) {
        return channelShop().withBean("events", MessageChannel.class, () -> channel);
    }

    private static void write(ApplicationContext context, EventEnvelope event) {
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                .executeWithoutResult(
                        status -> context.getBean(OutboxWriter.class).write(event));
    }

    private static Map<String, Object> row(ApplicationContext context) {
        return context.getBean(JdbcTemplate.class).queryForMap("SELECT attempts, last_error FROM outbox_event");
    }

    @Test
    void eventsReachAJmsBrokerThroughAnIntegrationFlow() {
        channelShop("outbox.messaging.event-types=order.*")
                .withBean(ConnectionFactory.class, () -> new ActiveMQConnectionFactory("vm://0"))
                .withUserConfiguration(MessagingSnippets.class)
                .run(context -> {
                    write(context, ORDER);
                    awaitDone(context);
                    JmsTemplate jms = new JmsTemplate(context.getBean(ConnectionFactory.class));
                    jms.setReceiveTimeout(60_000);
                    Message received = jms.receive("orders");
                    assertThat(received).isInstanceOf(TextMessage.class);
                    assertThat(((TextMessage) received).getText()).isEqualTo(ORDER.payloadJson());
                    assertThat(received.getStringProperty("eventId")).isEqualTo(ORDER.eventId());
                    assertThat(received.getStringProperty("eventType")).isEqualTo("order.placed");
                    assertThat(received.getStringProperty("aggregateType")).isEqualTo("Order");
                    assertThat(received.getStringProperty("aggregateId")).isEqualTo("42");
                    assertThat(received.getStringProperty("tenantId")).isEqualTo("acme");
                    assertThat(received.getStringProperty("traceparent")).isEqualTo("00-1-2-01");
                    assertThat(received.getStringProperty("occurredAt"))
                            .isEqualTo(ORDER.occurredAt().toString());

                    context.getBean(JdbcTemplate.class).update("DELETE FROM outbox_event");
                    byte[] image = "image".getBytes(StandardCharsets.UTF_8);
                    write(
                            context,
                            EventEnvelope.builder("order.scanned")
                                    .payloadBytes(image)
                                    .build());
                    awaitDone(context);
                    Message bytes = jms.receive("orders");
                    assertThat(bytes.getBody(byte[].class)).isEqualTo(image);
                    assertThat(bytes).isInstanceOf(BytesMessage.class);
                });
    }

    @Test
    void whatASubscriberThrowsIsAFailedAttemptAndThePayloadIsNotStoredWithIt() {
        AtomicInteger calls = new AtomicInteger();
        DirectChannel channel = new DirectChannel();
        channel.subscribe(message -> {
            if (calls.incrementAndGet() == 1) {
                throw new IllegalStateException("the broker is away");
            }
            if (calls.get() == 2) {
                throw new RetryAfterException(Duration.ofHours(1), "not now");
            }
        });
        channelShop(channel)
                .withPropertyValues("outbox.messaging.retry.preset=quick")
                .run(context -> {
                    write(context, ORDER);
                    await().until(() -> row(context).get("last_error") != null);
                    assertThat(String.valueOf(row(context).get("last_error")))
                            .contains("the broker is away")
                            .doesNotContain("hidden");
                    await().until(() -> calls.get() == 2);
                    await().untilAsserted(() ->
                            assertThat(row(context).get("attempts")).isEqualTo(2));
                    assertThat(calls)
                            .as("the flow itself can say when to try again")
                            .hasValue(2);
                });
    }

    @Test
    void aMessageThatTheChannelDoesNotAcceptIsRetried() {
        AtomicInteger calls = new AtomicInteger();
        List<Long> timeouts = new CopyOnWriteArrayList<>();
        channelShop((message, timeout) -> {
                    timeouts.add(timeout);
                    return calls.incrementAndGet() > 1;
                })
                .withPropertyValues("outbox.messaging.retry.preset=quick", "outbox.messaging.send-timeout=7s")
                .run(context -> {
                    write(context, ORDER);
                    awaitDone(context);
                    assertThat(calls).hasValue(2);
                    assertThat(timeouts).containsOnly(7000L);
                });
    }

    /** A header of an event must not choose where replies and errors go. */
    @Test
    void headersThatSpringUsesItselfAreNotTakenFromEvents() {
        List<org.springframework.messaging.Message<?>> sent = new CopyOnWriteArrayList<>();
        channelShop((message, timeout) -> sent.add(message)).run(context -> {
            write(context, ORDER);
            awaitDone(context);
            assertThat(sent.get(0).getHeaders())
                    .containsEntry("contentType", "application/json")
                    .containsEntry("eventId", ORDER.eventId())
                    .doesNotContainKeys("errorChannel", "replyChannel");
            assertThat(sent.get(0).getHeaders().getId()).isNotNull();
        });
    }

    @Test
    void channelsThatKeepMessagesInMemoryAreWarnedOf() {
        for (MessageChannel channel : List.of(new QueueChannel(), new ExecutorChannel(Runnable::run))) {
            List<String> lines = Shop.logged(() ->
                    channelShop(channel).run(context -> assertThat(context).hasNotFailed()));
            assertThat(lines).singleElement().asString().contains("channel 'events'", "is lost if the process ends");
        }
        assertThat(Shop.logged(() -> channelShop(new DirectChannel())
                        .run(context -> assertThat(context).hasNotFailed())))
                .isEmpty();
    }

    @Test
    void withoutAChannelTheStartFails() {
        shop("outbox.messaging.event-types=order.*")
                .run(context -> assertThat(Shop.failureOf(context))
                        .hasMessageContaining("outbox.messaging.event-types")
                        .hasMessageContaining("Set outbox.messaging.channel"));
        shop("outbox.messaging.channel=event")
                .withBean("events", MessageChannel.class, DirectChannel::new)
                .run(context -> assertThat(Shop.failureOf(context))
                        .hasMessageContaining("there is no MessageChannel bean 'event'")
                        .hasMessageContaining("events"));
        channelShop("outbox.messaging.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("outboxMessagingRoute"));
    }
}
