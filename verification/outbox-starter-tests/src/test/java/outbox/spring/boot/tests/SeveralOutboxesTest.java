package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.Outbox;
import outbox.OutboxWriter;
import outbox.domain.ActiveEntity;
import outbox.domain.DomainEventContext;
import outbox.domain.DomainEventPublisher;
import outbox.domain.handler.EventHandler;
import outbox.registry.DefaultListenerRegistry;
import outbox.registry.ListenerRegistry;
import outbox.spring.boot.OutboxDataSource;
import outbox.spring.boot.test.TestOutbox;
import outbox.spring.boot.tests.Apps.OrderPlaced;

/** One outbox in each of several data sources. */
class SeveralOutboxesTest {
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            excludeName = {
                "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration",
                "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration"
            })
    static class TwoDatabases {
        @Bean
        DataSource ordersData() {
            return h2();
        }

        @Bean
        DataSource billingData() {
            return h2();
        }

        @Bean
        PlatformTransactionManager ordersTransactions(@Qualifier("ordersData") DataSource dataSource) {
            return new DataSourceTransactionManager(dataSource);
        }

        @Bean
        PlatformTransactionManager billingTransactions(@Qualifier("billingData") DataSource dataSource) {
            return new DataSourceTransactionManager(dataSource);
        }

        @Bean
        Everywhere everywhere() {
            return new Everywhere();
        }

        @Bean
        @Qualifier("billing")
        BillingOnly billingOnly() {
            return new BillingOnly();
        }
    }

    private static DataSource h2() {
        return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    }

    static class Everywhere {
        final List<String> seen = new CopyOnWriteArrayList<>();

        @EventHandler(name = "everywhere")
        void on(OrderPlaced event) {
            seen.add(event.orderId());
        }
    }

    static class BillingOnly {
        final List<String> seen = new CopyOnWriteArrayList<>();

        @EventHandler(name = "billing-only")
        void on(OrderPlaced event) {
            seen.add(event.orderId());
        }
    }

    /** Finds the publisher of whatever transaction it is in. */
    static class Cart extends ActiveEntity {
        void checkOut(String id) {
            apply(new OrderPlaced(id));
        }
    }

    @Test
    void anEventOfSpringsPublisherGoesToTheOutboxOfItsTransaction() {
        both().run(context -> {
            TransactionTemplate orders =
                    new TransactionTemplate(context.getBean("ordersTransactions", PlatformTransactionManager.class));
            TransactionTemplate billing =
                    new TransactionTemplate(context.getBean("billingTransactions", PlatformTransactionManager.class));
            billing.executeWithoutResult(tx -> context.publishEvent(new OrderPlaced("b")));
            assertThat(rows(context.getBean("billingData", DataSource.class), "billing_event"))
                    .isOne();
            assertThat(rows(context.getBean("ordersData", DataSource.class), "outbox_event"))
                    .isZero();

            assertThatThrownBy(() -> context.publishEvent(new OrderPlaced("none")))
                    .hasMessageContaining("no transaction is active");
            assertThatThrownBy(() -> orders.executeWithoutResult(
                            outer -> billing.executeWithoutResult(tx -> context.publishEvent(new OrderPlaced("both")))))
                    .hasMessageContaining("in transactions of 2 outboxes at once");
        });
    }

    private static ApplicationContextRunner app() {
        return new ApplicationContextRunner()
                .withUserConfiguration(TwoDatabases.class)
                .withPropertyValues(
                        "spring.flyway.enabled=false",
                        "spring.liquibase.enabled=false",
                        "outbox.contracts.enabled=false",
                        "outbox.encryption.enabled=false",
                        "spring.data.jpa.repositories.enabled=false");
    }

    private static ApplicationContextRunner both() {
        return app().withPropertyValues(
                        "outbox.instances.orders.data-source=ordersData",
                        "outbox.instances.orders.primary=true",
                        "outbox.instances.billing.data-source=billingData",
                        "outbox.instances.billing.table=billing_event");
    }

    @Test
    void eachHasItsOwnTableTransactionsAndHandlers() {
        both().run(context -> {
            TransactionTemplate orders =
                    new TransactionTemplate(context.getBean("ordersTransactions", PlatformTransactionManager.class));
            TransactionTemplate billing =
                    new TransactionTemplate(context.getBean("billingTransactions", PlatformTransactionManager.class));
            orders.executeWithoutResult(
                    tx -> context.getBean(DomainEventPublisher.class).publish(new OrderPlaced("o"))); // the primary one
            billing.executeWithoutResult(
                    tx -> context.getBean("billingDomainEventPublisher", DomainEventPublisher.class)
                            .publish(new OrderPlaced("b")));
            billing.executeWithoutResult(tx -> new Cart().checkOut("c"));

            Everywhere everywhere = context.getBean(Everywhere.class);
            BillingOnly billingOnly = context.getBean(BillingOnly.class);
            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(everywhere.seen).containsExactlyInAnyOrder("o", "b", "c"));
            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(billingOnly.seen).containsExactlyInAnyOrder("b", "c"));
            assertThat(rows(context.getBean("ordersData", DataSource.class), "outbox_event"))
                    .isEqualTo(1);
            assertThat(rows(context.getBean("billingData", DataSource.class), "billing_event"))
                    .isEqualTo(2);
            assertThat(context.getBeansOfType(Outbox.class)).containsOnlyKeys("ordersOutbox", "billingOutbox");
            assertThat(context.getBean(TestOutbox.class).events(OrderPlaced.class))
                    .as("tests look at the primary one")
                    .extracting(OrderPlaced::orderId)
                    .containsExactly("o");
        });
    }

    private static Integer rows(DataSource dataSource, String table) {
        return new JdbcTemplate(dataSource).queryForObject("SELECT COUNT(*) FROM " + table, Integer.class);
    }

    /** What an instance does not set is taken from outbox.*. */
    @Test
    void anInstanceHasSettingsOfItsOwn() {
        both().withBean(ListenerRegistry.class, SeveralOutboxesTest::failing)
                .withPropertyValues(
                        "outbox.retry.base-delay=10ms",
                        "outbox.retry.max-delay=20ms",
                        "outbox.retry.max-attempts=2",
                        "outbox.instances.billing.retry.max-attempts=4")
                .run(context -> {
                    for (String instance : List.of("orders", "billing")) {
                        new TransactionTemplate(
                                        context.getBean(instance + "Transactions", PlatformTransactionManager.class))
                                .executeWithoutResult(
                                        tx -> context.getBean(instance + "OutboxWriter", OutboxWriter.class)
                                                .write("failing", "{}"));
                    }
                    awaitDead(context.getBean("ordersData", DataSource.class), "outbox_event", 2);
                    awaitDead(context.getBean("billingData", DataSource.class), "billing_event", 4);
                });
        both().withPropertyValues("outbox.instances.billing.poll.batch-size=0")
                .run(context -> assertThat(Apps.failureOf(context))
                        .hasMessageContaining("outbox.instances.billing.poll.batch-size"));
    }

    private static ListenerRegistry failing() {
        return new DefaultListenerRegistry().register("failing", event -> {
            throw new IllegalStateException("no");
        });
    }

    private static void awaitDead(DataSource dataSource, String table, int attempts) {
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(new JdbcTemplate(dataSource)
                                .queryForObject(
                                        "SELECT MAX(attempts) FROM " + table + " WHERE status = 3", Integer.class))
                        .isEqualTo(attempts));
    }

    static class NeedsBilling {
        final OutboxWriter writer;

        NeedsBilling(@Qualifier("billing") OutboxWriter writer) {
            this.writer = writer;
        }
    }

    @Test
    void theQualifierIsTheNameOfTheInstance() {
        both().withBean(NeedsBilling.class)
                .run(context -> assertThat(context.getBean(NeedsBilling.class).writer)
                        .isSameAs(context.getBean("billingOutboxWriter")));
    }

    static class BillingPublisher implements DomainEventPublisher {
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
    void anOwnPublisherOfAnInstanceGetsTheEventsOfEntities() {
        both().withBean("billingDomainEventPublisher", BillingPublisher.class).run(context -> {
            new TransactionTemplate(context.getBean("billingTransactions", PlatformTransactionManager.class))
                    .executeWithoutResult(tx -> new Cart().checkOut("own"));
            assertThat(context.getBean(BillingPublisher.class).published).hasSize(1);
        });
    }

    @Test
    void aPublisherThatNoInstanceWouldUseIsRefused() {
        both().withBean("audited", BillingPublisher.class)
                .run(context -> assertThat(Apps.failureOf(context))
                        .hasMessageContaining("'audited' is of type DomainEventPublisher")
                        .hasMessageContaining("billingDomainEventPublisher"));
    }

    @Test
    void aTransactionOfTheOtherDataSourceIsRefused() {
        both().run(context -> {
            OutboxWriter billing = context.getBean("billingOutboxWriter", OutboxWriter.class);
            TransactionTemplate orders =
                    new TransactionTemplate(context.getBean("ordersTransactions", PlatformTransactionManager.class));
            assertThatThrownBy(() -> orders.executeWithoutResult(tx -> billing.write("order.placed", "{}")))
                    .hasMessageContaining("transaction");
        });
    }

    @Test
    void anInstanceWithoutDataSourceIsRefused() {
        app().withPropertyValues("outbox.instances.orders.table=outbox_event")
                .run(context -> assertThat(Apps.failureOf(context))
                        .hasMessageContaining("outbox.instances.orders.data-source is not set"));
    }

    private static ApplicationContextRunner bothInOneDatabase() {
        return app().withPropertyValues(
                        "outbox.instances.orders.data-source=ordersData",
                        "outbox.instances.orders.primary=true",
                        "outbox.instances.billing.data-source=ordersData",
                        "outbox.instances.billing.table=billing_event");
    }

    @Test
    void twoTablesInOneDatabaseThatShareTheProgressOfHandlersAreRefused() {
        bothInOneDatabase()
                .run(context -> assertThat(Apps.failureOf(context))
                        .hasMessageContaining("outbox_consumption")
                        .hasMessageContaining(".consumption-table"));
    }

    static class Refusing {
        @EventHandler(name = "refusing", maxAttempts = 1)
        void on(OrderPlaced event) {
            throw new IllegalStateException("never");
        }
    }

    @Test
    void thePurgeOfOneLeavesTheProgressOfTheOther() {
        bothInOneDatabase()
                .withPropertyValues(
                        "outbox.instances.billing.consumption-table=billing_consumption",
                        "outbox.purge.interval=100ms",
                        "outbox.purge.retention=1ms")
                .withBean(Refusing.class)
                .run(context -> {
                    DataSource dataSource = context.getBean("ordersData", DataSource.class);
                    new TransactionTemplate(context.getBean("ordersTransactions", PlatformTransactionManager.class))
                            .executeWithoutResult(
                                    tx -> context.getBean("billingDomainEventPublisher", DomainEventPublisher.class)
                                            .publish(new OrderPlaced("b")));
                    await().atMost(Duration.ofSeconds(60))
                            .until(() -> rows(dataSource, "billing_event WHERE status = 3") == 1);

                    progressOfNobody(dataSource, "outbox_consumption");
                    progressOfNobody(dataSource, "billing_consumption");
                    await().atMost(Duration.ofSeconds(60))
                            .until(() -> rows(dataSource, "outbox_consumption WHERE event_id = 'gone'") == 0
                                    && rows(dataSource, "billing_consumption WHERE event_id = 'gone'") == 0);

                    assertThat(rows(dataSource, "billing_consumption"))
                            .as("two handlers are done with the dead event and one gave up")
                            .isEqualTo(3);
                });
    }

    /** What the next purge of that table deletes. */
    private static void progressOfNobody(DataSource dataSource, String table) {
        new JdbcTemplate(dataSource)
                .update("INSERT INTO " + table
                        + " (event_id, handler, state, attempts, next_attempt_at, updated_at) VALUES"
                        + " ('gone', 'mail', 1, 1, TIMESTAMP '2020-01-01 00:00:00', TIMESTAMP '2020-01-01 00:00:00')");
    }

    @Test
    void oneOfSeveralDataSourcesIsChosenByName() {
        app().withPropertyValues("outbox.data-source=billingData").run(context -> {
            TransactionTemplate billing =
                    new TransactionTemplate(context.getBean("billingTransactions", PlatformTransactionManager.class));
            billing.executeWithoutResult(
                    tx -> context.getBean(OutboxWriter.class).write("order.placed", "{}"));
            assertThat(rows(context.getBean("billingData", DataSource.class), "outbox_event"))
                    .isEqualTo(1);
            context.getBean(TestOutbox.class).assertThat().publishedExactly("order.placed");
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Marked {
        @Bean
        @OutboxDataSource
        DataSource thirdData() {
            return h2();
        }

        @Bean
        PlatformTransactionManager thirdTransactions(@Qualifier("thirdData") DataSource dataSource) {
            return new DataSourceTransactionManager(dataSource);
        }
    }

    @Test
    void oneOfSeveralDataSourcesIsChosenByAnnotation() {
        app().withUserConfiguration(Marked.class).run(context -> {
            TransactionTemplate third =
                    new TransactionTemplate(context.getBean("thirdTransactions", PlatformTransactionManager.class));
            third.executeWithoutResult(tx -> context.getBean(OutboxWriter.class).write("order.placed", "{}"));
            assertThat(rows(context.getBean("thirdData", DataSource.class), "outbox_event"))
                    .isEqualTo(1);
        });
    }

    @Test
    void aNameThatIsNotThereIsAnsweredWithThoseThatAre() {
        app().withPropertyValues("outbox.data-source=nowhere")
                .run(context -> assertThat(Apps.failureOf(context))
                        .hasMessageContaining("'nowhere'")
                        .hasMessageContaining("[ordersData, billingData]"));
    }
}
