package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static outbox.spring.boot.tests.Apps.app;
import static outbox.spring.boot.tests.Apps.inTransaction;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.annotation.Transactional;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.OutboxRelay;
import outbox.OutboxWriter;
import outbox.dead.DeadEventManager;
import outbox.dead.FailedEventAlert;
import outbox.dead.FailedEvents;
import outbox.domain.ActiveEntity;
import outbox.domain.DomainEventPublisher;
import outbox.domain.handler.EventHandler;
import outbox.registry.DefaultListenerRegistry;
import outbox.registry.ListenerRegistry;
import outbox.spring.boot.tests.Apps.Mailer;
import outbox.spring.boot.tests.Apps.OrderPlaced;

/** What the properties change. */
class ModesTest {
    private static void publish(ApplicationContext context, String order) {
        inTransaction(context, () -> context.getBean(DomainEventPublisher.class).publish(new OrderPlaced(order)));
    }

    private static int count(ApplicationContext context, int status) {
        Integer count = context.getBean(JdbcTemplate.class)
                .queryForObject("SELECT COUNT(*) FROM outbox_event WHERE status = ?", Integer.class, status);
        return count == null ? 0 : count;
    }

    @ParameterizedTest
    @ValueSource(strings = {"single-node", "multi-node", "ordered"})
    void everyDeliveringModeDelivers(String mode) {
        app(Mailer.class).withPropertyValues("outbox.mode=" + mode).run(context -> {
            publish(context, "1");
            await().until(() -> count(context, 1) == 1);
            assertThat(context.getBean(Mailer.class).mails).containsExactly("1");
        });
    }

    @Test
    void aWriterOnlyWrites() {
        app(Mailer.class).withPropertyValues("outbox.mode=writer-only").run(context -> {
            publish(context, "1");
            assertThat(count(context, 0)).isEqualTo(1);
            assertThat(context.getBean(JdbcTemplate.class)
                            .queryForObject("SELECT locked_by FROM outbox_event", String.class))
                    .isNull();
            assertThatThrownBy(() -> context.getBean(OutboxRelay.class)).hasMessageContaining("writes only");
        });
    }

    /** It would put the events of other applications on the table to death. */
    @Test
    void anApplicationWithoutHandlersClaimsNothing() {
        app().run(context -> {
            publish(context, "1");
            assertThat(count(context, 0)).isEqualTo(1);
            assertThatThrownBy(() -> context.getBean(OutboxRelay.class)).hasMessageContaining("writes only");
        });
    }

    @Test
    void unhandledEventsAreDeadOrLogged() {
        app(Mailer.class).run(context -> {
            inTransaction(context, () -> context.getBean(OutboxWriter.class).write("nobody.cares", "{}"));
            await().until(() -> count(context, 3) == 1);
        });
        app().withPropertyValues("outbox.handlers.unhandled=log").run(context -> {
            inTransaction(context, () -> context.getBean(OutboxWriter.class).write("nobody.cares", "{}"));
            await().until(() -> count(context, 1) == 1);
        });
    }

    @Test
    void listenersOfARegistryGetWhatNoHandlerTakes() {
        List<String> heard = new CopyOnWriteArrayList<>();
        ListenerRegistry registry = new DefaultListenerRegistry()
                .register("Order", "OrderShipped", (EventEnvelope event) -> heard.add(event.payloadJson()));
        app(Mailer.class).withBean(ListenerRegistry.class, () -> registry).run(context -> {
            publish(context, "1");
            inTransaction(
                    context,
                    () -> context.getBean(OutboxWriter.class)
                            .write(EventEnvelope.builder("OrderShipped")
                                    .aggregateType("Order")
                                    .payloadJson("{}")
                                    .build()));
            await().until(() -> count(context, 1) == 2);
            assertThat(heard).containsExactly("{}");
        });
    }

    @Test
    void aRegistryMayDecideByTheEvent() {
        List<String> heard = new CopyOnWriteArrayList<>();
        ListenerRegistry byTenant = new ListenerRegistry() {
            @Override
            public EventListener listenerFor(String aggregateType, String eventType) {
                throw new IllegalStateException("asked by names");
            }

            @Override
            public EventListener listenerFor(EventEnvelope event) {
                return any -> heard.add("for " + event.tenantId());
            }
        };
        app(Mailer.class).withBean(ListenerRegistry.class, () -> byTenant).run(context -> {
            inTransaction(
                    context,
                    () -> context.getBean(OutboxWriter.class)
                            .write(EventEnvelope.builder("OrderShipped")
                                    .tenantId("acme")
                                    .payloadJson("{}")
                                    .build()));
            await().until(() -> count(context, 1) == 1);
            assertThat(heard).containsExactly("for acme");
        });
    }

    @Test
    void aSchedulerFromOutsideRelays() {
        app(Mailer.class)
                .withPropertyValues("outbox.poll.enabled=false", "outbox.mode=ordered")
                .run(context -> {
                    publish(context, "1");
                    publish(context, "2");
                    assertThat(count(context, 0)).isEqualTo(2);

                    OutboxRelay relay = context.getBean(OutboxRelay.class);
                    assertThat(relay.relayOnce(1).delivered()).isEqualTo(1);
                    assertThat(relay.recoverOnce().delivered()).isEqualTo(1);
                    assertThat(context.getBean(Mailer.class).mails).containsExactly("1", "2");
                });
    }

    @Test
    void theTableCanBeReadByCron() {
        app(Mailer.class)
                .withPropertyValues("outbox.poll.cron=* * * * * *", "outbox.mode=ordered")
                .run(context -> {
                    publish(context, "1");
                    await().until(() -> count(context, 1) == 1);
                });
    }

    @Test
    void deadEventsAreWarnedOfByTheClock() {
        List<FailedEvents> alerts = new CopyOnWriteArrayList<>();
        app(Mailer.class)
                .withBean(FailedEventAlert.class, () -> alerts::add)
                .withPropertyValues("outbox.failure-alerts.interval=100ms")
                .run(context -> {
                    inTransaction(
                            context, () -> context.getBean(OutboxWriter.class).write("nobody.cares", "{}"));
                    await().until(() -> !alerts.isEmpty());
                    assertThat(alerts.get(0).dead()).isEqualTo(1);
                });
    }

    @Test
    void severalAlertsAreAllToldWhateverOneThrows() {
        List<FailedEvents> alerts = new CopyOnWriteArrayList<>();
        app(Mailer.class)
                .withBean("broken", FailedEventAlert.class, () -> events -> {
                    throw new IllegalStateException("pager is away");
                })
                .withBean("working", FailedEventAlert.class, () -> alerts::add)
                .withPropertyValues("outbox.failure-alerts.interval=100ms")
                .run(context -> {
                    inTransaction(
                            context, () -> context.getBean(OutboxWriter.class).write("nobody.cares", "{}"));
                    await().until(() -> !alerts.isEmpty());
                });
    }

    static class TwoHandlers {
        final List<String> calls = new CopyOnWriteArrayList<>();
        private final JdbcTemplate jdbc;

        TwoHandlers(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
            jdbc.execute("CREATE TABLE stock (order_id VARCHAR(20))");
        }

        @EventHandler(name = "stock", transactional = true)
        public void reserve(OrderPlaced event) {
            jdbc.update("INSERT INTO stock VALUES (?)", event.orderId());
        }

        @EventHandler(name = "mail", maxAttempts = 1)
        public void mail(OrderPlaced event) {
            calls.add("mail");
            throw new IllegalStateException("no mail today");
        }
    }

    @Test
    void handlersHaveStatesOfTheirOwnAndTransactionsOfTheApplication() {
        app(TwoHandlers.class).run(context -> {
            publish(context, "1");
            await().until(() -> count(context, 3) == 1);
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            assertThat(jdbc.queryForObject("SELECT COUNT(*) FROM stock", Integer.class))
                    .isEqualTo(1);
            assertThat(jdbc.queryForList("SELECT handler FROM outbox_consumption WHERE state = 1", String.class))
                    .containsExactly("stock");
            assertThat(jdbc.queryForList(
                                    "SELECT last_error FROM outbox_consumption WHERE handler = 'mail'", String.class)
                            .get(0))
                    .contains("no mail today");
        });
    }

    @Test
    void withoutATrackerTheirTableIsNamed() {
        app(TwoHandlers.class)
                .withPropertyValues("outbox.handlers.tracking=none")
                .run(context -> assertThat(Apps.failureOf(context)).hasMessageContaining("tracker"));
    }

    /** A handler behind a proxy. */
    static class Proxied {
        final List<Boolean> inTransaction = new CopyOnWriteArrayList<>();

        @Transactional
        @EventHandler
        void on(OrderPlaced event) {
            inTransaction.add(
                    org.springframework.transaction.support.TransactionSynchronizationManager
                            .isActualTransactionActive());
        }

        List<Boolean> seen() {
            return inTransaction;
        }
    }

    @Test
    void aHandlerIsCalledThroughItsProxy() {
        app(Proxied.class).run(context -> {
            publish(context, "1");
            await().until(() -> count(context, 1) == 1);
            assertThat(context.getBean(Proxied.class).seen()).containsExactly(true);
        });
    }

    static class PrivateProxied {
        @Transactional
        public void something() {}

        @EventHandler
        private void on(OrderPlaced event) {}
    }

    @Test
    void aHandlerTheProxyCanNotCallFailsTheStart() {
        app(PrivateProxied.class)
                .run(context -> assertThat(Apps.failureOf(context))
                        .hasMessageContaining("PrivateProxied.on")
                        .hasMessageContaining("Make the method package-private"));
    }

    static class Cart extends ActiveEntity {
        void checkOut() {
            apply(new OrderPlaced("cart"));
        }
    }

    @Test
    void entitiesFindThePublisher() {
        app(Mailer.class).run(context -> {
            inTransaction(context, () -> new Cart().checkOut());
            await().untilAsserted(() ->
                    assertThat(context.getBean(Mailer.class).mails).containsExactly("cart"));
        });
    }

    @Test
    void inMemoryEventsGoToTheHandlersAtOnceAndWithoutATable() {
        app(Mailer.class, TwoHandlersInMemory.class)
                .withPropertyValues("outbox.publisher=in-memory")
                .run(context -> {
                    context.getBean(DomainEventPublisher.class).publish(new OrderPlaced("1"));
                    assertThat(context.getBean(Mailer.class).mails).containsExactly("1");
                    assertThat(context.getBean(TwoHandlersInMemory.class).calls).containsExactly("1");
                    assertThat(context.getBean(TwoHandlersInMemory.class).threads)
                            .containsExactly(Thread.currentThread());
                    assertThat(context).doesNotHaveBean(OutboxWriter.class);
                });
    }

    static class TwoHandlersInMemory {
        final List<String> calls = new ArrayList<>();
        final List<Thread> threads = new ArrayList<>();

        @EventHandler(name = "second", transactional = true)
        public void on(OrderPlaced event) {
            threads.add(Thread.currentThread());
            calls.add(event.orderId());
        }
    }

    @Test
    void largePayloadsAreRefusedWhereTheApplicationSaysSo() {
        app(Mailer.class).withPropertyValues("outbox.write.max-payload=1KB").run(context -> {
            OutboxWriter writer = context.getBean(OutboxWriter.class);
            String large = "{\"x\":\"" + "y".repeat(2000) + "\"}";
            assertThatThrownBy(() -> inTransaction(context, () -> writer.write("order.placed", large)))
                    .hasMessageContaining("outbox.write.max-payload")
                    .hasMessageContaining("2008 bytes")
                    .hasMessageNotContaining("yyy");
        });
    }

    @Test
    void namesAreHeldToTheRuleWhereTheApplicationSaysSo() {
        app(Mailer.class)
                .withPropertyValues(
                        "outbox.events.naming=domain-action",
                        "outbox.events.packages=com.example") // not those of other tests, which break the rule
                .run(context -> {
                    OutboxWriter writer = context.getBean(OutboxWriter.class);
                    assertThatThrownBy(() -> inTransaction(context, () -> writer.write("OrderPlaced", "{}")))
                            .hasMessageContaining("<domain>.<action>[.<phase>]");
                });
    }

    @Test
    void aHandlerOnVirtualThreadsRunsWhereTheJdkHasThem() {
        app(ThreadNamer.class)
                .withPropertyValues("spring.threads.virtual.enabled=true")
                .run(context -> {
                    publish(context, "1");
                    await().until(() -> count(context, 1) == 1);
                    boolean hasThem = Runtime.version().feature() >= 21;
                    assertThat(context.getBean(ThreadNamer.class).virtual).containsExactly(hasThem);
                });
    }

    static class ThreadNamer {
        final List<Boolean> virtual = new CopyOnWriteArrayList<>();

        @EventHandler
        void on(OrderPlaced event) throws ReflectiveOperationException {
            boolean isVirtual = Runtime.version().feature() >= 21
                    && (Boolean) Thread.class.getMethod("isVirtual").invoke(Thread.currentThread());
            virtual.add(isVirtual);
        }
    }

    /** Every one of them waits until the context is closing: none is delivered before. */
    @Test
    void aDataSourceThatGivesOutTheConnectionOfTheTransactionIsNotCommittedByTheOutbox() {
        DataSource database = new DriverManagerDataSource("jdbc:h2:mem:proxied;DB_CLOSE_DELAY=-1");
        app(Mailer.class)
                .withBean(DataSource.class, () -> new TransactionAwareDataSourceProxy(database))
                .run(context -> {
                    assertThatThrownBy(() -> inTransaction(context, () -> {
                                context.getBean(DomainEventPublisher.class).publish(new OrderPlaced("1"));
                                context.getBean(DeadEventManager.class).replayAll(null, null, 10);
                                throw new IllegalStateException("the business fails");
                            }))
                            .hasMessage("the business fails");
                    assertThat(new JdbcTemplate(database)
                                    .queryForObject("SELECT COUNT(*) FROM outbox_event", Integer.class))
                            .isZero();
                });
    }

    @Test
    void whatIsQueuedIsDeliveredBeforeTheApplicationEnds() {
        Held held = new Held();
        app().withBean(Held.class, () -> held)
                .withPropertyValues("outbox.dispatch.drain-timeout=60s")
                .run(context -> {
                    context.getSourceApplicationContext(ConfigurableApplicationContext.class)
                            .addApplicationListener((ContextClosedEvent closing) -> held.closing.countDown());
                    for (int i = 0; i < 8; i++) {
                        publish(context, "held-" + i);
                    }
                    assertThat(held.done).isEmpty();
                });
        assertThat(held.done).hasSize(8);
    }

    static class Held {
        final CountDownLatch closing = new CountDownLatch(1);
        final List<String> done = new CopyOnWriteArrayList<>();

        @EventHandler
        void on(OrderPlaced event) throws InterruptedException {
            closing.await();
            done.add(event.orderId());
        }
    }
}
