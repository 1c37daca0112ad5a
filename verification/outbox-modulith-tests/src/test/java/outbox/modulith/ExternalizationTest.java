package outbox.modulith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;
import static outbox.modulith.Shops.inTransaction;
import static outbox.modulith.Shops.types;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.EventExternalized;
import org.springframework.modulith.events.RoutingTarget;
import org.springframework.modulith.events.support.EventExternalizerModuleListener;
import outbox.domain.EventName;
import outbox.domain.handler.EventHandler;
import outbox.modulith.RecordingTransport.Sent;
import outbox.modulith.shop.inventory.Inventory;
import outbox.modulith.shop.orders.OrderCompleted;
import outbox.modulith.shop.orders.Orders;

/** The outbox as engine of Spring Modulith's externalization. */
class ExternalizationTest {
    private static final int DONE = 1;
    private static final int DEAD = 3;

    @Configuration(proxyBeanMethods = false)
    static class OneTransport {
        @Bean
        RecordingTransport recording() {
            return new RecordingTransport();
        }
    }

    private static List<Integer> states(ConfigurableApplicationContext shop) {
        return shop.getBean(JdbcTemplate.class).queryForList("SELECT status FROM outbox_event", Integer.class);
    }

    @Test
    void anExternalizedEventIsWrittenWithTheTransactionAndSentByTheTransport() {
        try (ConfigurableApplicationContext shop = Shops.start(OneTransport.class)) {
            RecordingTransport transport = shop.getBean(RecordingTransport.class);
            inTransaction(shop, () -> {
                shop.getBean(Orders.class).complete("o-1", 100);
                assertThat(types(shop)).containsExactly(OrderCompleted.class.getName());
                assertThat(transport.calls).as("before the commit").hasValue(0);
            });

            await().untilAsserted(() -> assertThat(transport.sent)
                    .containsExactly(new Sent(new OrderCompleted("o-1", 100), "orders", "o-1")));
            await().untilAsserted(() -> assertThat(states(shop)).containsExactly(DONE));
        }
    }

    @Test
    void aRolledBackTransactionSendsNothing() {
        try (ConfigurableApplicationContext shop = Shops.start(OneTransport.class)) {
            assertThatThrownBy(() -> inTransaction(shop, () -> {
                        shop.getBean(Orders.class).complete("o-1", 100);
                        throw new IllegalStateException("no");
                    }))
                    .hasMessage("no");
            shop.getBean(Orders.class).complete("o-2", 100);

            RecordingTransport transport = shop.getBean(RecordingTransport.class);
            await().untilAsserted(() ->
                    assertThat(transport.sent).extracting(Sent::key).containsExactly("o-2"));
            assertThat(types(shop)).hasSize(1);
        }
    }

    @Test
    void theRegistryDoesNotSendTooAndKeepsItsOwnListeners() {
        try (ConfigurableApplicationContext shop = Shops.start(OneTransport.class)) {
            shop.getBean(Orders.class).complete("o-1", 100);

            Inventory inventory = shop.getBean(Inventory.class);
            await().untilAsserted(() -> assertThat(inventory.reserved()).containsExactly("o-1"));
            await().untilAsserted(() -> assertThat(states(shop)).containsExactly(DONE));
            assertThat(shop.getBean(RecordingTransport.class).calls).hasValue(1);
            assertThat(shop.getBean(JdbcTemplate.class)
                            .queryForList("SELECT listener_id FROM event_publication", String.class))
                    .singleElement()
                    .asString()
                    .contains(Inventory.class.getName());
            assertThat(shop.getBeanNamesForType(EventExternalizerModuleListener.class))
                    .isEmpty();
        }
    }

    @Test
    void aTransportThatFailsIsCalledAgain() {
        try (ConfigurableApplicationContext shop = Shops.start(OneTransport.class)) {
            RecordingTransport transport = shop.getBean(RecordingTransport.class);
            transport.failures.put("o-1", new AtomicInteger(1));
            shop.getBean(Orders.class).complete("o-1", 100);

            await().untilAsserted(() -> assertThat(transport.sentFor("o-1")).hasSize(1));
            assertThat(transport.calls).hasValue(2);
            await().untilAsserted(() -> assertThat(states(shop)).containsExactly(DONE));
        }
    }

    static class Hearing {
        final List<Object> externalized = new CopyOnWriteArrayList<>();

        @EventListener
        void on(EventExternalized<?, ?> event) {
            externalized.add(event.getEvent());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Mapped extends OneTransport {
        @Bean
        Hearing hearing() {
            return new Hearing();
        }

        @Bean
        EventExternalizationConfiguration externalization() {
            return EventExternalizationConfiguration.externalizing()
                    .select(event -> event instanceof OrderCompleted order && order.cents() > 0
                            || event instanceof Unregistered
                            || event instanceof Announced)
                    .mapping(
                            OrderCompleted.class,
                            order -> Map.of("order", order.orderId(), "euros", order.cents() / 100))
                    .route(
                            OrderCompleted.class,
                            order -> RoutingTarget.forTarget("mapped").andKey(order.orderId()))
                    .route(
                            Announced.class,
                            announced -> RoutingTarget.forTarget("announced").andKey("key"))
                    .build();
        }
    }

    record Unregistered(String text) {}

    @EventName("shop.announced")
    record Announced(String text) {}

    @Test
    void aConfigurationOfTheApplicationSelectsMapsAndRoutesWhenTheEventIsDelivered() {
        try (ConfigurableApplicationContext shop =
                Shops.start(Mapped.class, "outbox.events.packages=outbox.modulith")) {
            shop.getBean(Orders.class).complete("o-1", 700);
            inTransaction(shop, () -> shop.publishEvent(new Announced("open")));

            RecordingTransport transport = shop.getBean(RecordingTransport.class);
            await().untilAsserted(() -> assertThat(transport.sent)
                    .containsExactlyInAnyOrder(
                            new Sent(Map.of("order", "o-1", "euros", 7L), "mapped", "o-1"),
                            new Sent(new Announced("open"), "announced", "key")));
            assertThat(shop.getBean(JdbcTemplate.class)
                            .queryForList("SELECT CAST(payload AS VARCHAR) FROM outbox_event", String.class))
                    .as("the table has the event, not what it is mapped to")
                    .anySatisfy(text -> assertThat(text).contains("cents").doesNotContain("euros"));
            await().untilAsserted(() -> assertThat(shop.getBean(Hearing.class).externalized)
                    .containsExactlyInAnyOrder(new OrderCompleted("o-1", 700), new Announced("open")));
        }
    }

    @Test
    void whatItDoesNotSelectIsNotSent() {
        try (ConfigurableApplicationContext shop = Shops.start(Mapped.class)) {
            shop.getBean(Orders.class).complete("free", 0);
            shop.getBean(Orders.class).complete("o-1", 100);

            RecordingTransport transport = shop.getBean(RecordingTransport.class);
            await().untilAsserted(() -> assertThat(transport.sentFor("o-1")).hasSize(1));
            await().untilAsserted(() -> assertThat(states(shop)).containsOnly(DONE));
            assertThat(transport.sentFor("free")).isEmpty();
        }
    }

    @Test
    void aSelectedEventThatCouldNotBeReadAgainIsRefusedWhenItIsPublished() {
        try (ConfigurableApplicationContext shop = Shops.start(Mapped.class)) {
            assertThatThrownBy(() -> inTransaction(shop, () -> shop.publishEvent(new Unregistered("text"))))
                    .hasMessageContaining(Unregistered.class.getName())
                    .hasMessageContaining("@EventName");
            assertThatThrownBy(() -> shop.publishEvent(new OrderCompleted("o-1", 100)))
                    .hasMessageContaining("no transaction is active");
            assertThat(types(shop)).isEmpty();
        }
    }

    static class Archive {
        final List<String> orders = new CopyOnWriteArrayList<>();

        @EventHandler(name = "archive")
        void on(OrderCompleted event) {
            orders.add(event.orderId());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TransportsAndHandler extends OneTransport {
        @Bean
        RecordingTransport second() {
            return new RecordingTransport();
        }

        @Bean
        Archive archive() {
            return new Archive();
        }
    }

    @Test
    void handlersAndTransportsHaveProgressOfTheirOwn() {
        try (ConfigurableApplicationContext shop = Shops.start(TransportsAndHandler.class)) {
            RecordingTransport first = shop.getBean("recording", RecordingTransport.class);
            RecordingTransport second = shop.getBean("second", RecordingTransport.class);
            second.failures.put("o-1", new AtomicInteger(2));
            shop.getBean(Orders.class).complete("o-1", 100);

            await().untilAsserted(() -> assertThat(second.sentFor("o-1")).hasSize(1));
            await().untilAsserted(() -> assertThat(states(shop)).containsExactly(DONE));
            assertThat(second.calls).hasValue(3);
            assertThat(first.calls).hasValue(1);
            assertThat(shop.getBean(Archive.class).orders).containsExactly("o-1");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class SecondSender extends OneTransport {
        @Bean
        EventExternalizerModuleListener externalizer(EventExternalizationConfiguration configuration) {
            return new EventExternalizerModuleListener(
                    configuration, (payload, target) -> CompletableFuture.completedFuture("sent"));
        }
    }

    @Test
    void aSecondSenderIsRefusedAtTheStart() {
        assertThat(Shops.failureOf(catchThrowable(() -> Shops.start(SecondSender.class))))
                .contains("'externalizer'")
                .contains("EventExternalizerModuleListener")
                .contains("sent twice");
    }

    @Test
    void anEngineThatSeesNoEventsIsRefusedAtTheStart() {
        assertThat(Shops.failureOf(
                        catchThrowable(() -> Shops.start(OneTransport.class, "outbox.spring-events.enabled=false"))))
                .contains("outbox.spring-events.enabled is false");
    }

    @Test
    void inTheOtherModeSpringModulithSendsAndTheOutboxDoesNotWrite() {
        try (ConfigurableApplicationContext shop =
                Shops.start(SecondSender.class, "spring.modulith.events.externalization.mode=module-listener")) {
            shop.getBean(Orders.class).complete("o-1", 100);

            await().untilAsserted(() -> assertThat(shop.getBean(JdbcTemplate.class)
                            .queryForList("SELECT listener_id FROM event_publication", String.class))
                    .anyMatch(listener -> listener.contains("EventExternalizerModuleListener")));
            assertThat(types(shop)).isEmpty();
        }
    }

    @Test
    void withoutATransportEventsAreForTheRoutesOfTheOutbox() {
        try (ConfigurableApplicationContext shop = Shops.start(OnlyHandler.class)) {
            shop.getBean(Orders.class).complete("o-1", 100);

            await().untilAsserted(
                            () -> assertThat(shop.getBean(Archive.class).orders).containsExactly("o-1"));
            assertThat(states(shop)).doesNotContain(DEAD);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OnlyHandler {
        @Bean
        Archive archive() {
            return new Archive();
        }
    }
}
