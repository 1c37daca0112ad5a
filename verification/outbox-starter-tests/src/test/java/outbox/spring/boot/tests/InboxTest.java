package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static outbox.spring.boot.tests.Apps.app;
import static outbox.spring.boot.tests.Apps.failureOf;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import outbox.Outbox;
import outbox.OutboxWriter;
import outbox.domain.EventName;
import outbox.domain.handler.EventHandler;
import outbox.domain.handler.EventId;
import outbox.inbox.DurableInbox;
import outbox.inbox.Inbox;
import outbox.inbox.InboxHandler;
import outbox.inbox.InboxMessage;
import outbox.inbox.InlineInbox;
import outbox.inbox.MessageId;
import outbox.inbox.Receipt;
import outbox.webhook.WebhookSecret;

/** Inboxes by properties, handlers by annotation. */
class InboxTest {
    @EventName("payment.received")
    record PaymentReceived(String order, int cents) {}

    static class Payments {
        final List<String> booked = new CopyOnWriteArrayList<>();
        private final JdbcTemplate jdbc;

        @Autowired
        Payments(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
            jdbc.execute("CREATE TABLE IF NOT EXISTS payment (id VARCHAR(40), customer_order VARCHAR(20))");
        }

        @InboxHandler(name = "book", transactional = true, maxAttempts = 2, retry = "quick")
        void on(PaymentReceived payment, @EventId String id) {
            jdbc.update("INSERT INTO payment VALUES (?, ?)", id, payment.order());
            booked.add(payment.order());
            if (payment.cents() < 0) {
                throw new IllegalStateException("a payment of " + payment.cents());
            }
        }
    }

    static class Mailer {
        final List<String> mails = new CopyOnWriteArrayList<>();

        @EventHandler(name = "mail")
        void on(Apps.OrderPlaced event) {
            mails.add(event.orderId());
        }
    }

    private static InboxMessage payment(String id, int cents) {
        return InboxMessage.builder("payment.received")
                .id(id)
                .payload("{\"order\":\"" + id + "\",\"cents\":" + cents + "}")
                .build();
    }

    private static ApplicationContextRunner inbox(String... properties) {
        return app(Payments.class)
                .withPropertyValues("outbox.inbox.groups.billing.deduplication-window=14d")
                .withPropertyValues(properties);
    }

    private static List<String> payments(ApplicationContext context) {
        return context.getBean(JdbcTemplate.class)
                .queryForList("SELECT customer_order FROM payment ORDER BY customer_order", String.class);
    }

    private static int rows(ApplicationContext context, int status) {
        return context.getBean(JdbcTemplate.class)
                .queryForObject("SELECT COUNT(*) FROM inbox_event WHERE status = " + status, Integer.class);
    }

    @Test
    void aGroupOfMessagesIsHandledOnceByItsHandlersBesideAnOutbox() {
        inbox("outbox.retry.base-delay=1ms")
                .withBean(Mailer.class)
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .run(context -> {
                    DurableInbox inbox = context.getBean(DurableInbox.class);
                    assertThat(inbox.receiveAll(List.of(payment("1", 100), payment("2", -5), payment("1", 100))))
                            .containsExactly(Receipt.RECEIVED, Receipt.RECEIVED, Receipt.DUPLICATE);
                    await().until(() -> rows(context, 1) == 1 && rows(context, 3) == 1);
                    assertThat(payments(context))
                            .as("the failed one was rolled back")
                            .containsExactly("1");
                    assertThat(inbox.receive(
                                    InboxMessage.builder("payment.received").build()))
                            .as("without an id")
                            .isEqualTo(Receipt.DEAD);

                    Apps.inTransaction(
                            context,
                            () -> context.getBean(outbox.domain.DomainEventPublisher.class)
                                    .publish(new Apps.OrderPlaced("o-1")));
                    await().until(() -> context.getBean(Mailer.class).mails.contains("o-1"));
                    assertThat(context).hasSingleBean(Outbox.class).hasSingleBean(OutboxWriter.class);
                    assertThat(context.getBean(MeterRegistry.class)
                                    .get("outbox.inbox.messages")
                                    .tag("group", "billing")
                                    .tag("outcome", "duplicate")
                                    .functionCounter()
                                    .count())
                            .isEqualTo(1);
                    assertThat(context.getBean("billingInbox")).isSameAs(inbox);
                });
    }

    @Test
    void anInlineGroupHandlesAtOnceAndHandsFailuresToTheEngine() {
        inbox("outbox.inbox.groups.billing.mode=inline", "outbox.retry.base-delay=1ms")
                .run(context -> {
                    InlineInbox inbox = context.getBean(InlineInbox.class);
                    assertThat(inbox.receive(payment("1", 100))).isEqualTo(Receipt.HANDLED);
                    assertThat(payments(context)).containsExactly("1");
                    assertThat(inbox.receive(payment("1", 100))).isEqualTo(Receipt.DUPLICATE);

                    assertThat(inbox.receive(payment("2", -5))).isEqualTo(Receipt.RECEIVED);
                    await().until(() -> rows(context, 3) == 1);
                    assertThat(payments(context)).containsExactly("1");
                    assertThat(context.getBean(Payments.class).booked)
                            .as("once inline, twice by the engine")
                            .containsExactly("1", "2", "2", "2");
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class Ids {
        @Bean
        MessageId messageId() {
            return message -> message.headers().get("b-id");
        }
    }

    @Test
    void idsOfForeignMessagesComeFromAHeaderABeanOrThePosition() {
        inbox(
                        "outbox.inbox.groups.billing.message-id-header=a-id",
                        "outbox.inbox.groups.billing.message-id-by-position=true")
                .withUserConfiguration(Ids.class)
                .run(context -> {
                    DurableInbox inbox = context.getBean(DurableInbox.class);
                    InboxMessage.Builder message =
                            InboxMessage.builder("payment.received").source("t").position("1@1");
                    inbox.receive(message.build());
                    inbox.receive(message.header("b-id", "b").build());
                    inbox.receive(message.header("a-id", "a").build());
                    assertThat(context.getBean(JdbcTemplate.class)
                                    .queryForList("SELECT event_id FROM inbox_event", String.class))
                            .containsExactlyInAnyOrder(
                                    inbox.eventIdOf("t/1@1"), inbox.eventIdOf("b"), inbox.eventIdOf("a"));
                });
    }

    static class Shipping {
        final List<String> shipped = new CopyOnWriteArrayList<>();

        @InboxHandler(group = "shipping", name = "ship")
        void on(PaymentReceived payment) {
            shipped.add(payment.order());
        }

        @InboxHandler(group = "billing", name = "bill")
        void bill(PaymentReceived payment) {
            shipped.add("billed " + payment.order());
        }
    }

    @Test
    void groupsHaveTheirOwnTablesAndHandlers() {
        app(Shipping.class)
                .withPropertyValues(
                        "outbox.inbox.groups.billing.ordered=true",
                        "outbox.inbox.groups.shipping.table=inbox_shipping",
                        "outbox.inbox.groups.shipping.consumption-table=inbox_shipping_consumption")
                .run(context -> {
                    context.getBean("billingInbox", Inbox.class).receive(payment("1", 1));
                    context.getBean("shippingInbox", Inbox.class).receive(payment("1", 1));
                    await().until(() -> context.getBean(Shipping.class).shipped.size() == 2);
                    assertThat(context.getBean(Shipping.class).shipped).containsExactlyInAnyOrder("1", "billed 1");
                });
    }

    @Test
    void whatWouldLeadNowhereIsAnErrorAtTheStart() {
        app(Payments.class)
                .run(context -> assertThat(failureOf(context))
                        .hasMessageContaining("would never be called")
                        .hasMessageContaining("outbox.inbox.groups.<name>"));
        app(Shipping.class)
                .withPropertyValues("outbox.inbox.groups.billing.ordered=true")
                .run(context -> assertThat(failureOf(context)).hasMessageContaining("no consumer group 'shipping'"));
        inbox("outbox.inbox.groups.shipping.table=other", "outbox.inbox.groups.shipping.consumption-table=other_c")
                .run(context -> assertThat(failureOf(context)).hasMessageContaining("names no group"));
        inbox("outbox.inbox.groups.shipping.ordered=true")
                .run(context -> assertThat(failureOf(context)).hasMessageContaining("use the same table"));
        inbox(
                        "outbox.inbox.groups.shipping.data-source=dataSource",
                        "outbox.inbox.groups.shipping.consumption-table=other_c")
                .run(context -> assertThat(failureOf(context))
                        .as("the same data source by name and by default")
                        .hasMessageContaining("use the same table inbox_event"));
        inbox("outbox.inbox.groups.billing.table=OUTBOX_EVENT")
                .run(context -> assertThat(failureOf(context))
                        .hasMessageContaining("outbox and outbox.inbox.groups.billing use the same table"));
        inbox("outbox.consumption-table=inbox_consumption")
                .run(context ->
                        assertThat(failureOf(context)).hasMessageContaining("use the same table inbox_consumption"));
        inbox("outbox.instances.orders.data-source=dataSource", "outbox.instances.orders.table=inbox_event")
                .run(context -> assertThat(failureOf(context))
                        .hasMessageContaining(
                                "outbox.instances.orders and outbox.inbox.groups.billing use the same table"));
        inbox("outbox.inbox.groups.billing.webhook.path=/hook")
                .run(context -> assertThat(failureOf(context)).hasMessageContaining("no web application"));
        inbox("outbox.inbox.groups.billing.webhook.secrets=whsec_x")
                .run(context -> assertThat(failureOf(context)).hasMessageContaining("webhook.path is not"));
        inbox("outbox.inbox.groups.billing.mode=inline", "outbox.inbox.groups.billing.ordered=true")
                .run(context -> assertThat(failureOf(context)).hasMessageContaining(".failures=redeliver"));
        inbox("outbox.inbox.groups.billing.tabel=x")
                .run(context -> assertThat(failureOf(context)).hasMessageContaining("tabel"));
    }

    @Test
    void aStoppedContextCanBeStartedAgain() {
        inbox().run(context -> {
            context.stop();
            context.start();
            context.getBean(DurableInbox.class).receive(payment("1", 1));
            await().until(() -> rows(context, 1) == 1);
        });
    }

    @Test
    void webhooksArriveAtTheirPathAndAreVerified() throws Exception {
        WebhookSecret secret = WebhookSecret.generate();
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Apps.Plain.class, Payments.class)
                .web(WebApplicationType.SERVLET)
                .properties(
                        "server.port=0",
                        "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(),
                        "spring.flyway.enabled=false",
                        "spring.liquibase.enabled=false",
                        "outbox.contracts.enabled=false",
                        "outbox.encryption.enabled=false",
                        "outbox.inbox.groups.billing.webhook.path=/webhooks/payments",
                        "outbox.inbox.groups.billing.webhook.secrets=" + secret.reveal())
                .run()) {
            URI uri = URI.create("http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port")
                    + "/webhooks/payments");
            String body = "{\"type\":\"payment.received\",\"data\":{\"order\":\"7\",\"cents\":100}}";
            HttpRequest.Builder request = HttpRequest.newBuilder(uri).POST(HttpRequest.BodyPublishers.ofString(body));
            assertThat(answer(request)).as("without a signature").isEqualTo(401);

            Instant now = Instant.now();
            request.header("webhook-id", "m-1")
                    .header("webhook-timestamp", Long.toString(now.getEpochSecond()))
                    .header("webhook-signature", secret.sign("m-1", now, body.getBytes(StandardCharsets.UTF_8)));
            assertThat(answer(request)).isEqualTo(202);
            assertThat(answer(request)).as("a duplicate").isEqualTo(200);
            await().until(() -> payments(context).equals(List.of("7")));
            assertThat(answer(HttpRequest.newBuilder(uri).GET())).isEqualTo(405);
        }
    }

    private static int answer(HttpRequest.Builder request) throws Exception {
        return HttpClient.newHttpClient()
                .send(request.build(), HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }
}
