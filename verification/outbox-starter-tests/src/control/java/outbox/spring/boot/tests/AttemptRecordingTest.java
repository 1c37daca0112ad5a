package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.domain.DomainEventPublisher;
import outbox.domain.handler.EventHandler;
import outbox.spi.FailureListener;
import outbox.spring.boot.tests.ControlCenterApps.LoginForm;
import outbox.spring.boot.tests.ControlCenterApps.OrderPlaced;
import outbox.spring.boot.tests.ControlCenterApps.Plain;

/** Failed attempts are recorded whatever else an application listens to, and it is said honestly where they are not. */
@Tag("any-boot")
@Timeout(600)
class AttemptRecordingTest {
    private static final String TOKEN = "0123456789abcdef0123456789abcdef";

    static class Failing {
        @EventHandler(name = "mailer")
        void on(OrderPlaced event) {
            throw new IllegalStateException("smtp down");
        }
    }

    /** An application that wants to know of failures itself. */
    static class Listening {
        static final List<String> HEARD = new CopyOnWriteArrayList<>();

        @Bean
        FailureListener pager() {
            return failure -> HEARD.add(failure.event().eventId());
        }
    }

    private static String failOnce(ConfigurableApplicationContext context) {
        String id = UUID.randomUUID().toString();
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                .executeWithoutResult(tx ->
                        context.getBean(DomainEventPublisher.class).publish(new OrderPlaced(id, Instant.now(), "42")));
        return id;
    }

    private static void awaitAttempt(ConfigurableApplicationContext context, String eventId) {
        JdbcTemplate database = new JdbcTemplate(context.getBean(DataSource.class));
        await().atMost(Duration.ofMinutes(1))
                .until(() -> database.queryForObject(
                                "SELECT COUNT(*) FROM outbox_attempt WHERE event_id = ?", Integer.class, eventId)
                        > 0);
    }

    private static String attempts(ConfigurableApplicationContext context, String app, String id) throws Exception {
        return ControlCenterApps.send(context, "GET", "/api/v1/apps/" + app + "/events/" + id + "/attempts", TOKEN)
                .body();
    }

    private static ConfigurableApplicationContext start(List<Class<?>> parts, String... settings) {
        String[] all = java.util.Arrays.copyOf(settings, settings.length + 1);
        all[settings.length] = "outbox.control-center.tokens.ci.secret=" + TOKEN;
        return ControlCenterApps.start(parts, all);
    }

    @Test
    void aFailureListenerOfTheApplicationDoesNotSwitchTheRecordingOff() throws Exception {
        try (ConfigurableApplicationContext context =
                start(List.of(Plain.class, LoginForm.class, Failing.class, Listening.class))) {
            String id = failOnce(context);
            awaitAttempt(context, id);
            assertThat(Listening.HEARD).contains(id);
            assertThat(attempts(context, "outbox", id))
                    .contains("\"recorded\":true")
                    .contains("smtp down");
        }
    }

    @Test
    void namedInstancesRecordTheirAttempts() throws Exception {
        try (ConfigurableApplicationContext context = start(
                List.of(Plain.class, LoginForm.class, Failing.class),
                "outbox.instances.orders.data-source=dataSource")) {
            String id = failOnce(context);
            awaitAttempt(context, id);
            assertThat(attempts(context, "orders", id))
                    .contains("\"recorded\":true")
                    .contains("smtp down");
        }
    }

    @Test
    void whereNothingIsRecordedThatIsSaid() throws Exception {
        try (ConfigurableApplicationContext context = start(
                List.of(Plain.class, LoginForm.class, Failing.class, Listening.class),
                "outbox.control-center.record-attempts=false")) {
            String id = failOnce(context);
            await().atMost(Duration.ofMinutes(1)).until(() -> Listening.HEARD.contains(id));
            assertThat(new JdbcTemplate(context.getBean(DataSource.class))
                            .queryForObject("SELECT COUNT(*) FROM outbox_attempt", Integer.class))
                    .as("the table came with the heartbeats")
                    .isZero();
            assertThat(attempts(context, "outbox", id)).contains("\"recorded\":false");
            assertThat(ControlCenterApps.send(context, "GET", "/api/v1/apps/outbox/errors", TOKEN)
                            .body())
                    .contains("\"recorded\":false");
        }
    }
}
