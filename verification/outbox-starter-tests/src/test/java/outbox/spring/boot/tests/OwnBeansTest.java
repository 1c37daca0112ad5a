package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static outbox.spring.boot.tests.Apps.app;
import static outbox.spring.boot.tests.Apps.inTransaction;

import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.event.BeforeTestMethodEvent;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxWriter;
import outbox.WriterHook;
import outbox.dispatch.RetryPolicy;
import outbox.domain.ActiveEntity;
import outbox.domain.DomainEventContext;
import outbox.domain.DomainEventPublisher;
import outbox.domain.handler.EventConsumptionTracker;
import outbox.domain.handler.EventHandler;
import outbox.domain.handler.HandlerOutcome;
import outbox.domain.handler.HandlerProgress;
import outbox.domain.type.PayloadSerializer;
import outbox.idempotency.redis.OutboxRedis;
import outbox.jdbc.store.H2OutboxStore;
import outbox.spi.DeadLetterListener;
import outbox.spi.MetricsExporter;
import outbox.spi.OutboxStore;
import outbox.spring.SpringTxContext;
import outbox.spring.boot.tests.Apps.Mailer;
import outbox.spring.boot.tests.Apps.OrderPlaced;
import outbox.testing.server.EmbeddedRedis;

/** A bean of the application's own is used everywhere, or refused with the reason; it is never ignored. */
class OwnBeansTest {
    static class Cart extends ActiveEntity {
        void checkOut(String order) {
            apply(new OrderPlaced(order));
        }

        @Override
        protected String aggregateType() {
            return "Cart";
        }

        @Override
        protected String aggregateId() {
            return "1";
        }
    }

    /** Notes what it writes. */
    @Configuration(proxyBeanMethods = false)
    static class OwnWriter {
        static final List<String> WRITTEN = new CopyOnWriteArrayList<>();

        @Bean
        OutboxWriter ownWriter(DataSource dataSource) {
            return new OutboxWriter(new SpringTxContext(dataSource), new H2OutboxStore(), new WriterHook() {
                @Override
                public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
                    events.forEach(event -> WRITTEN.add(event.eventType()));
                    return events;
                }
            });
        }
    }

    @Test
    void anOwnWriterGetsDomainEventsAndThoseOfEntities() {
        OwnWriter.WRITTEN.clear();
        app(OwnWriter.class, Mailer.class).run(context -> {
            inTransaction(
                    context, () -> context.getBean(DomainEventPublisher.class).publish(new OrderPlaced("1")));
            inTransaction(context, () -> new Cart().checkOut("2"));
            assertThat(OwnWriter.WRITTEN).hasSize(2);
            await().untilAsserted(() ->
                    assertThat(context.getBean(Mailer.class).mails).containsExactlyInAnyOrder("1", "2"));
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Compensating {
        static final List<String> CANCELLED = new CopyOnWriteArrayList<>();

        @EventHandler(name = "refuses", maxAttempts = 1)
        void on(OrderPlaced event) {
            throw new IllegalStateException("no stock");
        }

        @Bean
        DeadLetterListener cancelling() {
            return letter -> CANCELLED.add(letter.event().eventId());
        }
    }

    @Test
    void aDeadLetterListenerIsCalled() {
        Compensating.CANCELLED.clear();
        app(Compensating.class).run(context -> {
            inTransaction(
                    context, () -> context.getBean(DomainEventPublisher.class).publish(new OrderPlaced("1")));
            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(Compensating.CANCELLED).hasSize(1));
        });
    }

    static class OwnPublisher implements DomainEventPublisher {
        final List<Object> published = new CopyOnWriteArrayList<>();

        @Override
        public void publishAll(List<?> events, DomainEventContext context) {
            published.addAll(events);
        }

        @Override
        public boolean isInTransaction() {
            return true;
        }
    }

    @Test
    void anOwnPublisherGetsTheEventsOfEntities() {
        app(OwnPublisher.class, Mailer.class).run(context -> {
            inTransaction(context, () -> new Cart().checkOut("1"));
            assertThat(context.getBean(OwnPublisher.class).published).hasSize(1);
        });
    }

    static class OwnTracker implements EventConsumptionTracker {
        final List<String> consumed = new CopyOnWriteArrayList<>();

        @Override
        public List<HandlerProgress> progressOf(String eventId) {
            return List.of();
        }

        @Override
        public void record(Collection<HandlerOutcome> outcomes) {
            outcomes.forEach(outcome -> consumed.add(outcome.handler()));
        }

        @Override
        public boolean consume(String eventId, String handler) {
            return consumed.add(handler);
        }

        @Override
        public boolean isTransactional() {
            return true;
        }

        @Override
        public void reset(String eventId, String handler) {}

        @Override
        public Set<String> openHandlers() {
            consumed.add("asked at the start");
            return Set.of();
        }
    }

    @Test
    void anOwnTrackerIsUsed() {
        app(OwnTracker.class, Mailer.class)
                .run(context ->
                        assertThat(context.getBean(OwnTracker.class).consumed).contains("asked at the start"));
        app(OwnTracker.class, Mailer.class)
                .withPropertyValues("outbox.handlers.tracking=jdbc")
                .run(context -> assertThat(Apps.failureOf(context))
                        .hasMessageContaining("EventConsumptionTracker")
                        .hasMessageContaining("outbox.handlers.tracking is jdbc"));
    }

    @Test
    void anOwnStoreIsUsedOrRefused() {
        app(Mailer.class)
                .withBean(OutboxStore.class, () -> new H2OutboxStore("own_event"))
                .run(context -> {
                    inTransaction(
                            context, () -> context.getBean(OutboxWriter.class).write("order.placed", "{}"));
                    assertThat(context.getBean(JdbcTemplate.class)
                                    .queryForObject("SELECT COUNT(*) FROM own_event", Integer.class))
                            .isEqualTo(1);
                });
        app(Mailer.class)
                .withBean(OutboxStore.class, () -> (OutboxStore) Proxy.newProxyInstance(
                        OwnBeansTest.class.getClassLoader(),
                        new Class<?>[] {OutboxStore.class},
                        (proxy, method, args) -> method.getName().equals("hashCode") ? 1 : null))
                .run(context -> assertThat(Apps.failureOf(context))
                        .hasMessageContaining("there is an OutboxStore bean")
                        .hasMessageContaining("Extend that class, or define an Outbox bean"));
    }

    /** Writes the order alone. */
    static class OwnSerializer implements PayloadSerializer {
        @Override
        public String serialize(Object value) {
            return "{\"wrapped\":\"" + ((OrderPlaced) value).orderId() + "\"}";
        }

        @Override
        public <T> T deserialize(String json, Class<T> type) {
            return type.cast(new OrderPlaced(json.substring("{\"wrapped\":\"".length(), json.length() - 2)));
        }
    }

    @Test
    void anOwnSerializerWritesEventsAndReadsThemForHandlers() {
        app(OwnSerializer.class, Mailer.class).run(context -> {
            inTransaction(context, () -> new Cart().checkOut("1"));
            await().untilAsserted(() ->
                    assertThat(context.getBean(Mailer.class).mails).containsExactly("1"));
            assertThat(context.getBean(JdbcTemplate.class)
                            .queryForObject("SELECT payload FROM outbox_event", String.class))
                    .contains("wrapped");
        });
    }

    static class FailsOnce {
        final List<String> calls = new CopyOnWriteArrayList<>();

        @EventHandler(name = "fails-once")
        void on(OrderPlaced event) {
            calls.add(event.orderId());
            if (calls.size() == 1) {
                throw new IllegalStateException("once");
            }
        }
    }

    @Test
    void anOwnRetryPolicySetsTheDelays() {
        List<Integer> asked = new CopyOnWriteArrayList<>();
        RetryPolicy policy = attempts -> {
            asked.add(attempts);
            return 1;
        };
        app(FailsOnce.class).withBean(RetryPolicy.class, () -> policy).run(context -> {
            inTransaction(context, () -> new Cart().checkOut("1"));
            await().untilAsserted(() ->
                    assertThat(context.getBean(FailsOnce.class).calls).hasSize(2));
            assertThat(asked).containsExactly(1);
        });
        app(FailsOnce.class)
                .withBean(RetryPolicy.class, () -> policy)
                .withPropertyValues("outbox.retry.base-delay=2s")
                .run(context -> assertThat(Apps.failureOf(context))
                        .hasMessageContaining("there is a RetryPolicy bean")
                        .hasMessageContaining("outbox.retry.base-delay is set"));
    }

    @Test
    void anOwnClockIsAskedByDelivery() {
        AtomicInteger asked = new AtomicInteger();
        InstantSource clock = () -> {
            asked.incrementAndGet();
            return Instant.now();
        };
        app(Mailer.class).withBean(InstantSource.class, () -> clock).run(context -> {
            inTransaction(context, () -> new Cart().checkOut("1"));
            await().untilAsserted(() ->
                    assertThat(context.getBean(Mailer.class).mails).containsExactly("1"));
            assertThat(asked).hasPositiveValue();
        });
    }

    @Test
    void severalClocksAreRefused() {
        app(Mailer.class)
                .withBean("utc", Clock.class, Clock::systemUTC)
                .withBean("fixed", Clock.class, () -> Clock.fixed(Instant.EPOCH, ZoneOffset.UTC))
                .run(context -> assertThat(Apps.failureOf(context))
                        .hasMessageContaining("there are several InstantSource beans, [utc, fixed]")
                        .hasMessageContaining("@Primary"));
    }

    @Test
    void severalMetricsExportersAreRefused() {
        MetricsExporter exporter = MetricsExporter.NOOP;
        app(Mailer.class)
                .withBean("first", MetricsExporter.class, () -> exporter)
                .withBean("second", MetricsExporter.class, () -> exporter)
                .run(context -> assertThat(Apps.failureOf(context))
                        .hasMessageContaining("there are several MetricsExporter beans, [first, second]"));
    }

    @Test
    void anOwnConnectionToRedisIsUsed() {
        OutboxRedis own = OutboxRedis.connect(EmbeddedRedis.shared());
        app(Mailer.class)
                .withBean(OutboxRedis.class, () -> own)
                .withPropertyValues("outbox.handlers.tracking=redis")
                .run(context -> {
                    inTransaction(context, () -> new Cart().checkOut("1"));
                    await().untilAsserted(() ->
                            assertThat(context.getBean(Mailer.class).mails).containsExactly("1"));
                });
    }

    /** As a test suite has them: both contexts stay open, and a test of either one publishes. */
    @Test
    void entitiesFindThePublisherOfTheInMemoryContextThatRunsATest() {
        app(Mailer.class)
                .withPropertyValues("outbox.publisher=in-memory")
                .run(first -> app(Mailer.class)
                        .withPropertyValues("outbox.publisher=in-memory")
                        .run(second -> {
                            new Cart().checkOut("second");
                            assertThat(second.getBean(Mailer.class).mails).containsExactly("second");
                            app(Mailer.class).run(third -> {
                                inTransaction(third, () -> new Cart().checkOut("third"));
                                await().untilAsserted(() -> assertThat(third.getBean(Mailer.class).mails)
                                        .containsExactly("third"));
                            });
                            assertThat(first.getBean(Mailer.class).mails).isEmpty();

                            first.publishEvent(
                                    new BeforeTestMethodEvent(aTest())); // as spring-test does before each test
                            new Cart().checkOut("first");
                            assertThat(first.getBean(Mailer.class).mails).containsExactly("first");
                            assertThat(second.getBean(Mailer.class).mails).containsExactly("second");
                        }));
    }

    private static TestContext aTest() {
        return (TestContext) Proxy.newProxyInstance(
                OwnBeansTest.class.getClassLoader(), new Class<?>[] {TestContext.class}, (proxy, method, args) -> null);
    }

    private static DataSource database() {
        return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    }

    private static DataSource routing() {
        AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {
            @Override
            protected Object determineCurrentLookupKey() {
                return "acme";
            }
        };
        routing.setTargetDataSources(Map.of("acme", database()));
        routing.afterPropertiesSet();
        return routing;
    }

    static List<DataSource> routers() {
        return List.of(
                routing(),
                new LazyConnectionDataSourceProxy(routing()),
                new TransactionAwareDataSourceProxy(new LazyConnectionDataSourceProxy(routing())));
    }

    @ParameterizedTest
    @MethodSource("routers")
    void aDataSourceThatRoutesByThreadIsRefused(DataSource router) {
        app(Mailer.class)
                .withBean(DataSource.class, () -> router)
                .run(context -> assertThat(Apps.failureOf(context))
                        .hasMessageContaining("AbstractRoutingDataSource")
                        .hasMessageContaining("outbox.instances.<tenant>.data-source"));
    }

    @Test
    void aRouterOfReadReplicasCanBeAllowedAndPlainProxiesWork() {
        app(Mailer.class)
                .withBean(DataSource.class, OwnBeansTest::routing)
                .withPropertyValues("outbox.schema.mode=always", "outbox.allow-routing-data-source=true")
                .run(context -> assertThat(context).hasSingleBean(Outbox.class));
        app(Mailer.class)
                .withBean(DataSource.class, () -> new LazyConnectionDataSourceProxy(database()))
                .withPropertyValues("outbox.schema.mode=always")
                .run(context -> assertThat(context).hasSingleBean(Outbox.class));
    }
}
