package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static outbox.spring.boot.tests.Apps.app;
import static outbox.spring.boot.tests.Apps.inTransaction;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.OutboxRelay;
import outbox.OutboxWriter;
import outbox.alert.AlertMessage;
import outbox.alert.FailedEventNotice;
import outbox.dead.FailedEventAlert;
import outbox.spring.boot.tests.Apps.Mailer;

/** People hear of each incident once: not never, and not from every instance and node. */
class FailedEventAlertsTest {
    private static final String NO_SCHEDULE = "outbox.failure-alerts.enabled=false";

    private static void die(ApplicationContext context) {
        JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
        Integer before = jdbc.queryForObject("SELECT COUNT(*) FROM outbox_event WHERE status = 3", Integer.class);
        inTransaction(context, () -> context.getBean(OutboxWriter.class).write("nobody.handles.it", "{}"));
        await().until(() ->
                jdbc.queryForObject("SELECT COUNT(*) FROM outbox_event WHERE status = 3", Integer.class) > before);
    }

    @Test
    void aSecondIncidentIsAnnouncedAfterTheFirstIsOver() {
        List<AlertMessage> sent = new CopyOnWriteArrayList<>();
        app(Mailer.class)
                .withPropertyValues(NO_SCHEDULE)
                .withBean(FailedEventNotice.class, () -> new FailedEventNotice("shop", sent::add))
                .run(context -> {
                    OutboxRelay relay = context.getBean(OutboxRelay.class);
                    die(context);
                    relay.warnFailedOnce();
                    relay.warnFailedOnce();
                    assertThat(sent).hasSize(1);

                    context.getBean(JdbcTemplate.class).update("DELETE FROM outbox_event");
                    relay.warnFailedOnce();
                    die(context);
                    relay.warnFailedOnce();
                    assertThat(sent)
                            .extracting(AlertMessage::kind)
                            .containsExactly(
                                    AlertMessage.Kind.PROBLEM, AlertMessage.Kind.RECOVERY, AlertMessage.Kind.PROBLEM);
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoDatabases {
        @Bean
        DataSource ordersData() {
            return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        }

        @Bean
        DataSource billingData() {
            return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        }

        @Bean
        PlatformTransactionManager ordersTransactions(@Qualifier("ordersData") DataSource ordersData) {
            return new JdbcTransactionManager(ordersData);
        }

        @Bean
        PlatformTransactionManager billingTransactions(@Qualifier("billingData") DataSource billingData) {
            return new JdbcTransactionManager(billingData);
        }
    }

    @Test
    void aNoticeSharedBySeveralInstancesRemembersEachOfThem() {
        List<AlertMessage> sent = new CopyOnWriteArrayList<>();
        app(TwoDatabases.class, Mailer.class)
                .withPropertyValues(
                        NO_SCHEDULE,
                        "outbox.schema.mode=always",
                        "outbox.instances.orders.data-source=ordersData",
                        "outbox.instances.billing.data-source=billingData")
                .withBean(FailedEventNotice.class, () -> new FailedEventNotice("shop", sent::add))
                .run(context -> {
                    OutboxRelay orders = context.getBean("ordersOutboxRelay", OutboxRelay.class);
                    OutboxRelay billing = context.getBean("billingOutboxRelay", OutboxRelay.class);
                    die(context, "orders");
                    die(context, "orders");
                    die(context, "billing");
                    for (int look = 0; look < 3; look++) {
                        orders.warnFailedOnce();
                        billing.warnFailedOnce();
                    }
                    assertThat(sent)
                            .extracting(AlertMessage::title)
                            .containsExactly(
                                    "[shop / orders] 2 dead event(s) wait for a person",
                                    "[shop / billing] 1 dead event(s) wait for a person");
                });
    }

    private static void die(ApplicationContext context, String instance) {
        JdbcTemplate jdbc = new JdbcTemplate(context.getBean(instance + "Data", DataSource.class));
        new TransactionTemplate(context.getBean(instance + "Transactions", PlatformTransactionManager.class))
                .executeWithoutResult(status -> context.getBean(instance + "OutboxWriter", OutboxWriter.class)
                        .write("nobody.handles.it", "{}"));
        await().until(() ->
                jdbc.queryForObject("SELECT COUNT(*) FROM outbox_event WHERE status <> 3", Integer.class) == 0);
    }

    private static ApplicationContextRunner node(String database, AtomicInteger alerts) {
        return app(Mailer.class)
                .withPropertyValues(
                        "spring.datasource.url=jdbc:h2:mem:" + database + ";DB_CLOSE_DELAY=-1",
                        "outbox.failure-alerts.interval=20ms")
                .withBean(FailedEventAlert.class, () -> events -> alerts.incrementAndGet());
    }

    @Test
    void oneOfSeveralNodesAlertsAndAnotherTakesOverWhenItStops() {
        String database = UUID.randomUUID().toString();
        AtomicInteger byFirst = new AtomicInteger();
        AtomicInteger bySecond = new AtomicInteger();
        node(database, byFirst).run(first -> {
            die(first);
            await().until(() -> byFirst.get() > 0);
            node(database, bySecond).run(second -> {
                int before = byFirst.get();
                await().until(() -> byFirst.get() > before + 10);
                assertThat(bySecond).hasValue(0);

                first.getSourceApplicationContext(ConfigurableApplicationContext.class)
                        .close();
                int last = byFirst.get();
                await().until(() -> bySecond.get() > 3);
                assertThat(byFirst).hasValue(last);
            });
        });
    }
}
