package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static outbox.spring.boot.tests.Apps.app;
import static outbox.spring.boot.tests.Apps.inTransaction;

import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import outbox.domain.DomainEventPublisher;
import outbox.domain.handler.EventHandler;
import outbox.spring.boot.tests.Apps.OrderPlaced;

/** D4, D5, D6: a relay with lease, owner, batch, fixed delay and backoff, all by settings. */
class RelaySettingsTest {
    static class Failing {
        final List<String> owners = new CopyOnWriteArrayList<>();
        private final JdbcTemplate jdbc;

        Failing(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @EventHandler
        void on(OrderPlaced event) {
            owners.add(jdbc.queryForObject("SELECT locked_by FROM outbox_event", String.class));
            throw new IllegalStateException("mail server away");
        }
    }

    private static Map<String, Object> rowAfterAFailure(ApplicationContext context) {
        JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
        inTransaction(context, () -> context.getBean(DomainEventPublisher.class).publish(new OrderPlaced("1")));
        await().until(() ->
                Integer.valueOf(2).equals(jdbc.queryForObject("SELECT status FROM outbox_event", Integer.class)));
        return jdbc.queryForMap("SELECT attempts, last_error, locked_by, available_at FROM outbox_event");
    }

    private static ApplicationContextRunner relay() {
        return app(Failing.class)
                .withPropertyValues(
                        "outbox.poll.interval=1000ms",
                        "outbox.poll.batch-size=100",
                        "outbox.dispatch.lease-time=30s",
                        "outbox.retry.base-delay=100s",
                        "outbox.retry.max-delay=300s",
                        "outbox.retry.max-attempts=10");
    }

    @Test
    void aFailedEventWaitsInItsRowForTheNextAttempt() {
        relay().withPropertyValues("outbox.node-id=worker-7").run(context -> {
            Instant before = Instant.now();
            Map<String, Object> row = rowAfterAFailure(context);

            assertThat(row.get("ATTEMPTS")).isEqualTo(1);
            assertThat(row.get("LAST_ERROR").toString()).contains("mail server away");
            assertThat(row.get("LOCKED_BY")).isNull();
            Instant next = context.getBean(JdbcTemplate.class)
                    .queryForObject("SELECT available_at FROM outbox_event", java.sql.Timestamp.class)
                    .toInstant();
            assertThat(next)
                    .isBetween(
                            before.plus(Duration.ofSeconds(45)),
                            Instant.now().plus(Duration.ofSeconds(155))); // 100 s, spread by a factor of 0.5 to 1.5
            assertThat(context.getBean(Failing.class).owners)
                    .singleElement()
                    .asString()
                    .startsWith("worker-7");
        });
    }

    @Test
    void thePresetRecoveryTriesEveryHandlerAgainAfterThirtySeconds() {
        app(Failing.class).withPropertyValues("outbox.retry.preset=recovery").run(context -> {
            Instant before = Instant.now();
            rowAfterAFailure(context);
            Instant next = context.getBean(JdbcTemplate.class)
                    .queryForObject("SELECT available_at FROM outbox_event", java.sql.Timestamp.class)
                    .toInstant();
            assertThat(next).isBetween(before.plusSeconds(29), Instant.now().plusSeconds(31));
        });
    }

    /** In the words of who wrote it: the builder calls a batch size claimSize. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "outbox.poll.batch-size=0",
                "outbox.poll.interval=0s",
                "outbox.poll.cron=daily",
                "outbox.dispatch.workers=-1",
                "outbox.dispatch.lease-time=-1s",
                "outbox.dispatch.time-limit=-1s",
                "outbox.dispatch.max-bytes-in-flight=0B",
                "outbox.retry.max-attempts=0",
                "outbox.failure-alerts.interval=0s",
                "outbox.purge.retention=-1s",
                "outbox.write.max-payload=2MB",
                "outbox.table=no name"
            })
    void aValueThatCanNotBeUsedIsReportedAsTheProperty(String setting) {
        String property = setting.substring(0, setting.indexOf('='));
        app(Failing.class)
                .withPropertyValues(setting)
                .run(context -> assertThat(Apps.failureOf(context))
                        .hasMessageStartingWith("Property " + property + " with value '"));
    }

    @Test
    void valuesThatDoNotGoTogetherAreReportedByWhereTheyAre() {
        app(Failing.class)
                .withPropertyValues("outbox.retry.base-delay=10m", "outbox.retry.max-delay=1m")
                .run(context -> assertThat(Apps.failureOf(context))
                        .hasMessageStartingWith("outbox.retry: ")
                        .hasMessageContaining("600000")
                        .hasMessageContaining("60000"));
    }

    @Test
    void theOwnerIsNamedAfterHostAndProcessWhereNothingIsSaid() throws Exception {
        String host = InetAddress.getLocalHost().getHostName();
        relay().run(context -> {
            rowAfterAFailure(context);
            assertThat(context.getBean(Failing.class).owners)
                    .singleElement()
                    .asString()
                    .contains(host.length() > 20 ? host.substring(0, 20) : host)
                    .contains(Long.toString(ProcessHandle.current().pid()));
        });
    }
}
