package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static outbox.spring.boot.tests.Apps.app;
import static outbox.spring.boot.tests.Apps.failureOf;
import static outbox.spring.boot.tests.Apps.inTransaction;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import outbox.alert.AlertChannel;
import outbox.alert.AlertMessage;
import outbox.domain.DomainEventPublisher;
import outbox.domain.handler.EventHandler;
import outbox.spring.boot.tests.Apps.OrderPlaced;

/** What fails all the time is not called for a while, and people hear of it. */
class BreakerAlertsTest {
    private static volatile boolean down;

    private final List<AlertMessage> sent = new CopyOnWriteArrayList<>();

    @BeforeEach
    void breakIt() {
        down = true;
    }

    static class Warehouse {
        final AtomicInteger calls = new AtomicInteger();

        @EventHandler(name = "warehouse")
        void on(OrderPlaced event) {
            calls.incrementAndGet();
            if (down) {
                throw new IllegalStateException("the warehouse is down");
            }
        }
    }

    private ApplicationContextRunner shop(String... settings) {
        return app(Warehouse.class)
                .withPropertyValues("spring.application.name=shop", "outbox.failure-alerts.interval=20ms")
                .withPropertyValues(settings)
                .withBean(AlertChannel.class, () -> sent::add);
    }

    private static void place(ApplicationContext context, int orders) {
        inTransaction(context, () -> {
            for (int i = 0; i < orders; i++) {
                context.getBean(DomainEventPublisher.class).publish(new OrderPlaced("order " + i));
            }
        });
    }

    private static int rows(ApplicationContext context, int status) {
        return context.getBean(JdbcTemplate.class)
                .queryForObject("SELECT COUNT(*) FROM outbox_event WHERE status = ?", Integer.class, status);
    }

    private List<String> titles() {
        return sent.stream()
                .map(message -> message.kind() + " " + message.title())
                .toList();
    }

    @Test
    void byDefaultAHandlerThatFailedFiftyTimesInARowIsLeftAloneAndReported() {
        shop().run(context -> {
            place(context, 200);
            await().until(() -> !sent.isEmpty());
            assertThat(titles()).containsExactly("PROBLEM [shop] circuit breaker open: warehouse");
            assertThat(sent.get(0).text())
                    .contains("Events wait in the table, no attempts are counted")
                    .contains("what to do: docs/runbooks/breaker-open.md");
            assertThat(context.getBean(Warehouse.class).calls.get())
                    .as("50 in a row, and what the other workers were at")
                    .isBetween(50, 60);
            assertThat(rows(context, 3)).isZero();
        });
    }

    @Test
    void whenItWorksAgainTheEventsFollowAndTheEndIsReported() {
        shop("outbox.handlers.breaker.failures=3", "outbox.handlers.breaker.pause=50ms")
                .run(context -> {
                    place(context, 5);
                    await().until(() -> !sent.isEmpty());
                    down = false;
                    await().until(() -> rows(context, 1) == 5);
                    await().until(() -> sent.size() == 2);
                    assertThat(titles())
                            .containsExactly(
                                    "PROBLEM [shop] circuit breaker open: warehouse",
                                    "RECOVERY [shop] circuit breaker closed: warehouse");
                });
    }

    @Test
    void aReminderIsSentWhileItIsOpen() {
        shop("outbox.handlers.breaker.failures=3", "outbox.alerts.reminder=100ms")
                .run(context -> {
                    place(context, 5);
                    await().until(() -> sent.size() >= 3);
                    assertThat(titles()).containsOnly("PROBLEM [shop] circuit breaker open: warehouse");
                });
    }

    @Test
    void theBreakerCanBeSwitchedOff() {
        shop("outbox.handlers.breaker.failures=0", "outbox.retry.max-attempts=1")
                .run(context -> {
                    place(context, 80);
                    await().until(() -> rows(context, 3) == 80);
                    assertThat(context.getBean(Warehouse.class).calls.get()).isEqualTo(80);
                    assertThat(titles()).noneMatch(title -> title.contains("breaker"));
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"outbox.handlers.breaker.failures=-1", "outbox.handlers.breaker.pause=0s"})
    void aWrongSettingFailsTheStart(String setting) {
        shop(setting)
                .run(context -> assertThat(failureOf(context))
                        .hasMessageContaining(setting.substring(0, setting.indexOf('='))));
    }

    @Test
    void oneOfTwoNodesReports() {
        ApplicationContextRunner node = shop(
                "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1",
                "outbox.handlers.breaker.failures=3");
        node.run(first -> node.run(second -> {
            place(first, 20);
            place(second, 20);
            await().until(() -> first.getBean(Warehouse.class).calls.get() >= 3
                    && second.getBean(Warehouse.class).calls.get() >= 3);
            JdbcTemplate jdbc = first.getBean(JdbcTemplate.class);
            await().until(() -> beat(jdbc) > 0);
            long beat = beat(jdbc);
            await().until(() -> beat(jdbc) > beat + 20);
            assertThat(titles()).containsExactly("PROBLEM [shop] circuit breaker open: warehouse");
        }));
    }

    private static long beat(JdbcTemplate jdbc) {
        Long beat = jdbc.queryForObject("SELECT MAX(beat) FROM outbox_lease WHERE name LIKE 'breaker %'", Long.class);
        return beat == null ? 0 : beat;
    }
}
