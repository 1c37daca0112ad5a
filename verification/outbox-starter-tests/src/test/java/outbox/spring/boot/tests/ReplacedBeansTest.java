package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static outbox.spring.boot.tests.Apps.app;
import static outbox.spring.boot.tests.Apps.inTransaction;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxRelay;
import outbox.OutboxWriter;
import outbox.contracts.EventContracts;
import outbox.dead.DeadEventManager;
import outbox.domain.DomainEventPublisher;
import outbox.domain.handler.EventRoute;
import outbox.domain.publish.DomainEventOutboxService;
import outbox.domain.type.EventTypes;
import outbox.encryption.KeyProvider;
import outbox.idempotency.IdempotentCreateTemplate;
import outbox.idempotency.redis.OutboxRedis;
import outbox.idempotency.redis.RedisDispatchGuard;
import outbox.jdbc.store.JdbcOutbox;
import outbox.spi.EventSeal;
import outbox.spi.ForwardingMetrics;
import outbox.spi.MetricsExporter;
import outbox.spring.SpringTxContext;
import outbox.spring.boot.tests.Apps.Mailer;
import outbox.spring.boot.tests.Apps.OrderPlaced;
import outbox.testing.server.EmbeddedRedis;
import outbox.webhook.WebhookClient;
import outbox.webhook.WebhookSecret;

/** The rows of the table "Your own beans" that {@link OwnBeansTest} does not show. */
@Tag("any-boot")
class ReplacedBeansTest {
    private static void deliver(ApplicationContext context, String order) {
        inTransaction(context, () -> context.getBean(DomainEventPublisher.class).publish(new OrderPlaced(order)));
        await().untilAsserted(
                        () -> assertThat(context.getBean(Mailer.class).mails).contains(order));
    }

    private static String stored(ApplicationContext context, String column) {
        return context.getBean(JdbcTemplate.class)
                .queryForObject("SELECT CAST(" + column + " AS VARCHAR) FROM outbox_event", String.class);
    }

    @Test
    void anOwnExporterReceivesTheMeasurements() {
        AtomicInteger successes = new AtomicInteger();
        MetricsExporter own = new ForwardingMetrics() {
            @Override
            protected void forward(Consumer<MetricsExporter> report) {}

            @Override
            public void incrementDispatchSuccess() {
                successes.incrementAndGet();
            }
        };
        app(Mailer.class).withBean(MetricsExporter.class, () -> own).run(context -> {
            deliver(context, "1");
            await().until(() -> successes.get() == 1);
        });
    }

    @Test
    void anOwnRegistryNamesTheEventTypes() {
        app(Mailer.class)
                .withBean(
                        EventTypes.class,
                        () -> EventTypes.builder()
                                .register("shop.order", OrderPlaced.class)
                                .build())
                .run(context -> {
                    deliver(context, "1");
                    assertThat(stored(context, "event_type")).isEqualTo("shop.order");
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnOutbox {
        @Bean(destroyMethod = "close")
        Outbox own(DataSource dataSource) {
            return JdbcOutbox.writerOnly(dataSource)
                    .transactions(new SpringTxContext(dataSource))
                    .build();
        }
    }

    @Test
    void besideAnOwnOutboxThereIsNoOther() {
        app(Mailer.class, OwnOutbox.class).run(context -> {
            assertThat(context).hasNotFailed().doesNotHaveBean(OutboxWriter.class);
            assertThat(context.getBeansOfType(Outbox.class)).containsOnlyKeys("own");
            assertThat(context).doesNotHaveBean(DomainEventPublisher.class).doesNotHaveBean(DeadEventManager.class);
        });
    }

    /** Exchanges every bit; good enough to see that it was asked. */
    private static final class Inverting implements KeyProvider {
        final AtomicInteger wrapped = new AtomicInteger();

        @Override
        public String currentKeyId() {
            return "of-the-vault";
        }

        @Override
        public byte[] wrap(String keyId, byte[] dataKey) {
            wrapped.incrementAndGet();
            return inverted(dataKey);
        }

        @Override
        public byte[] unwrap(String keyId, byte[] wrappedKey) {
            return inverted(wrappedKey);
        }

        private static byte[] inverted(byte[] bytes) {
            byte[] result = bytes.clone();
            for (int i = 0; i < result.length; i++) {
                result[i] = (byte) ~result[i];
            }
            return result;
        }
    }

    @Test
    void anOwnKeyProviderIsAskedForKeys() {
        Inverting keys = new Inverting();
        app(Mailer.class)
                .withBean(KeyProvider.class, () -> keys)
                .withPropertyValues("outbox.encryption.enabled=true", "spring.application.name=shop")
                .run(context -> {
                    deliver(context, "secret-42");
                    assertThat(stored(context, "payload"))
                            .contains("of-the-vault")
                            .doesNotContain("secret-42");
                    assertThat(keys.wrapped).hasPositiveValue();
                });
    }

    @Test
    void anOwnSealTakesThePlaceOfEncryption() {
        List<String> calls = new CopyOnWriteArrayList<>();
        EventSeal own = new EventSeal() {
            @Override
            public EventEnvelope seal(EventEnvelope event) {
                calls.add("sealed");
                return event;
            }

            @Override
            public EventEnvelope open(EventEnvelope stored) {
                calls.add("opened");
                return stored;
            }
        };
        app(Mailer.class)
                .withBean(EventSeal.class, () -> own)
                .withBean(KeyProvider.class, Inverting::new)
                .withPropertyValues("outbox.encryption.enabled=true", "spring.application.name=shop")
                .run(context -> {
                    deliver(context, "plain-42");
                    assertThat(stored(context, "payload")).contains("plain-42");
                    assertThat(calls).contains("sealed");
                });
    }

    @Test
    void ownContractsAreChecked(@TempDir Path directory) throws IOException {
        Files.writeString(directory.resolve("order.paid.v1.json"), """
                {"type": "object", "required": ["amount"]}""");
        app(Mailer.class)
                .withBean(EventContracts.class, () -> EventContracts.fromDirectory(directory))
                .withPropertyValues("outbox.contracts.enabled=true")
                .run(context -> assertThatThrownBy(() -> inTransaction(
                                context,
                                () -> context.getBean(OutboxWriter.class).write("order.paid", "{}")))
                        .hasMessageContaining("amount"));
    }

    @Test
    void anOwnWebhookClientSends() {
        WebhookSecret secret = WebhookSecret.generate();
        try (Receiver receiver = new Receiver(secret)) {
            app(Mailer.class)
                    .withBean(
                            WebhookClient.class,
                            () -> WebhookClient.builder()
                                    .allowHttp()
                                    .allowAddresses("127.0.0.0/8")
                                    .build())
                    .withPropertyValues(
                            "outbox.webhook.endpoints.crm.url=" + receiver.url(),
                            "outbox.webhook.endpoints.crm.secrets=" + secret.reveal())
                    .run(context -> {
                        deliver(context, "1");
                        await().until(() -> receiver.eventIds.size() == 1);
                    });
        }
    }

    @Test
    void anOwnGuardRemembersWhatWasSent() {
        try (OutboxRedis redis = OutboxRedis.connect(EmbeddedRedis.shared())) {
            List<String> sent = new CopyOnWriteArrayList<>();
            app().withBean(
                            RedisDispatchGuard.class,
                            () -> new RedisDispatchGuard(
                                    redis.commands(), Duration.ofMinutes(30), Duration.ofMinutes(1)))
                    .withBean(EventRoute.class, () -> EventRoute.to("audit", event -> sent.add(event.eventId())))
                    .withPropertyValues("outbox.publish-guard.enabled=true")
                    .run(context -> {
                        inTransaction(
                                context,
                                () -> context.getBean(OutboxWriter.class).write("order.placed", "{}"));
                        await().until(() -> sent.size() == 1);
                        await().untilAsserted(() -> assertThat(
                                        redis.commands().keys(RedisDispatchGuard.KEY_PREFIX + "*" + sent.get(0) + "*"))
                                .singleElement()
                                .satisfies(key ->
                                        assertThat(redis.commands().ttl(key)).isBetween(61L, 1800L)));
                    });
        }
    }

    private static IdempotentCreateTemplate template() {
        return (IdempotentCreateTemplate) Proxy.newProxyInstance(
                ReplacedBeansTest.class.getClassLoader(),
                new Class<?>[] {IdempotentCreateTemplate.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "hashCode" -> 1;
                    case "equals" -> proxy == arguments[0];
                    case "toString" -> "own template";
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnServices {
        @Bean
        DomainEventOutboxService ownService(DomainEventPublisher publisher) {
            return new DomainEventOutboxService(publisher);
        }

        @Bean
        IdempotentCreateTemplate ownTemplate() {
            return template();
        }

        @Bean
        DeadEventManager ownManager(Outbox outbox) {
            return outbox.deadEvents();
        }

        @Bean
        OutboxRelay ownRelay(Outbox outbox) {
            return outbox.relay();
        }
    }

    @Test
    void ownServicesAreInjected() {
        app(Mailer.class, OwnServices.class).run(context -> {
            assertThat(context.getBeansOfType(DomainEventOutboxService.class)).containsOnlyKeys("ownService");
            assertThat(context.getBeansOfType(IdempotentCreateTemplate.class)).containsOnlyKeys("ownTemplate");
            assertThat(context.getBeansOfType(DeadEventManager.class)).containsOnlyKeys("ownManager");
            assertThat(context.getBeansOfType(OutboxRelay.class)).containsOnlyKeys("ownRelay");
            deliver(context, "1");
        });
    }

    @Test
    void anOwnIndicatorIsTheHealthOfTheOutbox() {
        Object own = new Object();
        ApplicationContextRunner runner = app(Mailer.class).withBean("outboxHealthIndicator", Object.class, () -> own);
        runner.run(
                context -> assertThat(context.getBean("outboxHealthIndicator")).isSameAs(own));
    }
}
