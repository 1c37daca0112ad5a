package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static outbox.spring.boot.tests.Apps.app;
import static outbox.spring.boot.tests.Apps.inTransaction;

import com.xxl.job.core.executor.XxlJobExecutor;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import outbox.Outbox;
import outbox.domain.DomainEventPublisher;
import outbox.spring.boot.tests.Apps.Mailer;
import outbox.spring.boot.tests.Apps.OrderPlaced;
import outbox.xxljob.OutboxJobs;

/** A context that is stopped and started again, as a checkpoint or a pause does it. */
class RestartTest {
    private static void publish(ConfigurableApplicationContext context, String order) {
        inTransaction(context, () -> context.getBean(DomainEventPublisher.class).publish(new OrderPlaced(order)));
    }

    @Test
    void nothingIsDeliveredWhileAContextIsStoppedAndEverythingAfterwards() {
        app(Mailer.class, XxlJobTest.OwnExecutor.class)
                .withPropertyValues("outbox.handlers.tracking=jdbc")
                .run(context -> {
                    Mailer mailer = context.getBean(Mailer.class);
                    ConfigurableApplicationContext application =
                            context.getSourceApplicationContext(ConfigurableApplicationContext.class);
                    publish(application, "before");
                    await().until(() -> mailer.mails.contains("before"));

                    application.stop();
                    assertThat(context.getBean(Outbox.class).isRunning()).isFalse();
                    publish(application, "meanwhile");
                    assertThat(context.getBean(JdbcTemplate.class)
                                    .queryForList("SELECT status FROM outbox_event ORDER BY event_id", Integer.class))
                            .containsExactly(1, 0);
                    assertThat(XxlJobExecutor.loadJobHandler(OutboxJobs.RECOVER))
                            .satisfies(RestartTest::isClosed);

                    application.start();
                    assertThat(context.getBean(Outbox.class).isRunning()).isTrue();
                    publish(application, "after");
                    await().until(() -> mailer.mails.size() == 3);
                    assertThat(mailer.mails).containsExactlyInAnyOrder("before", "meanwhile", "after");
                    assertThat(XxlJobExecutor.loadJobHandler(OutboxJobs.RECOVER))
                            .satisfies(RestartTest::isOpen);
                });
    }

    @Test
    void withoutAutoStartupDeliveryBeginsWhenTheContextIsStarted() {
        app(Mailer.class).withPropertyValues("outbox.auto-startup=false").run(context -> {
            Mailer mailer = context.getBean(Mailer.class);
            ConfigurableApplicationContext application =
                    context.getSourceApplicationContext(ConfigurableApplicationContext.class);
            assertThat(context.getBean(Outbox.class).isRunning()).isFalse();
            publish(application, "early");
            assertThat(context.getBean(JdbcTemplate.class)
                            .queryForObject("SELECT status FROM outbox_event", Integer.class))
                    .isZero();

            application.start();
            await().until(() -> mailer.mails.contains("early"));
        });
    }

    private static void isClosed(Object job) {
        assertThat(job).extracting("closed").isEqualTo(true);
    }

    private static void isOpen(Object job) {
        assertThat(job).extracting("closed").isEqualTo(false);
    }
}
