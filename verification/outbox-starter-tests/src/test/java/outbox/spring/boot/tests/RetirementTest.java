package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static outbox.spring.boot.tests.Apps.app;
import static outbox.spring.boot.tests.Apps.failureOf;
import static outbox.spring.boot.tests.Apps.inTransaction;

import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import outbox.Outbox;
import outbox.domain.DomainEventPublisher;
import outbox.spring.boot.tests.Apps.Mailer;
import outbox.spring.boot.tests.Apps.OrderPlaced;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.TestDatabase;

/** How old rows leave the table. */
@Tag("any-boot")
class RetirementTest {
    private static final String DONE = "SELECT COUNT(*) FROM outbox_event WHERE status = 1";

    @TempDir
    Path directory;

    private static int count(ApplicationContext context, String sql) {
        Integer count = context.getBean(JdbcTemplate.class).queryForObject(sql, Integer.class);
        return count == null ? -1 : count;
    }

    private static void deliverOne(ApplicationContext context) {
        inTransaction(context, () -> context.getBean(DomainEventPublisher.class).publish(new OrderPlaced("42")));
        await().untilAsserted(() -> assertThat(count(context, DONE)).isEqualTo(1));
    }

    @Test
    void aPartitionedTableGetsItsDays() {
        TestDatabase database = EmbeddedPostgres.shared().freshDatabase();
        app(Mailer.class)
                .withPropertyValues(
                        "spring.datasource.url=" + database.jdbcUrl(),
                        "spring.datasource.username=" + database.username(),
                        "spring.datasource.password=" + database.password(),
                        "outbox.schema.mode=always",
                        "outbox.partitions.enabled=true",
                        "outbox.partitions.days-ahead=5",
                        "outbox.purge.interval=1s") // a day for which the table was too busy is made in the next round
                .run(context -> {
                    await().untilAsserted(() -> assertThat(count(
                                    context,
                                    "SELECT COUNT(*) FROM pg_inherits WHERE inhparent = to_regclass('outbox_event')"))
                            .as("today, five days ahead, and the rest")
                            .isEqualTo(7));
                    deliverOne(context);
                });
    }

    @Test
    void aDatabaseWithoutPartitionsIsRefused() {
        app(Mailer.class)
                .withPropertyValues("outbox.partitions.enabled=true")
                .run(context -> assertThat(failureOf(context)).hasMessageContaining("h2 has no partitions"));
    }

    @Test
    void purgedRowsGoToFiles() {
        app(Mailer.class)
                .withPropertyValues("outbox.archive.directory=" + directory, "outbox.purge.retention=0s")
                .run(context -> {
                    deliverOne(context);
                    context.getBean(Outbox.class).purgeOnce();
                    assertThat(count(context, "SELECT COUNT(*) FROM outbox_event"))
                            .isZero();
                    assertThat(directory).isDirectoryContaining("glob:**.ndjson.gz");
                });
    }

    @Test
    void deadLettersHaveARetentionOfTheirOwn() {
        app(Mailer.class).withPropertyValues("outbox.purge.dead-retention=0s").run(context -> {
            insertDead(context);
            context.getBean(Outbox.class).purgeOnce();
            assertThat(count(context, "SELECT COUNT(*) FROM outbox_event")).isZero();
        });
        app(Mailer.class).withPropertyValues("outbox.purge.retention=0s").run(context -> {
            insertDead(context);
            context.getBean(Outbox.class).purgeOnce();
            assertThat(count(context, "SELECT COUNT(*) FROM outbox_event")).isEqualTo(1);
        });
    }

    private static void insertDead(ApplicationContext context) {
        LocalDateTime died = LocalDateTime.now(ZoneOffset.UTC).minusMinutes(1);
        context.getBean(JdbcTemplate.class)
                .update(
                        "INSERT INTO outbox_event (event_id, event_type, payload, status, attempts, available_at,"
                                + " created_at, done_at) VALUES ('dead', 'Sent', '{}' FORMAT JSON, 3, 3, ?, ?, ?)",
                        died,
                        died.minusDays(60),
                        died);
    }

    @Test
    void purgedRowsGoToATable() {
        app(Mailer.class)
                .withPropertyValues("outbox.archive.table=old_event", "outbox.purge.retention=0s")
                .run(context -> {
                    deliverOne(context);
                    context.getBean(Outbox.class).purgeOnce();
                    assertThat(count(context, "SELECT COUNT(*) FROM outbox_event"))
                            .isZero();
                    assertThat(count(context, "SELECT COUNT(*) FROM old_event")).isEqualTo(1);
                });
    }

    @Test
    void anArchiveTableThatIsMissingIsNamed() {
        app(Mailer.class)
                .withPropertyValues(
                        "spring.datasource.url=jdbc:h2:file:" + directory.resolve("db"), "outbox.schema.mode=always")
                .run(context -> assertThat(context).hasNotFailed());
        app(Mailer.class)
                .withPropertyValues(
                        "spring.datasource.url=jdbc:h2:file:" + directory.resolve("db"),
                        "outbox.archive.table=old_event")
                .run(context -> assertThat(failureOf(context)).hasMessageContaining("table old_event does not exist"));
    }

    @Test
    void aTableThatCdcReadsIsPurgedByAge() {
        app().withPropertyValues(
                        "outbox.mode=writer-only", "outbox.purge.by-age-alone=true", "outbox.purge.retention=0s")
                .run(context -> {
                    inTransaction(
                            context,
                            () -> context.getBean(DomainEventPublisher.class).publish(new OrderPlaced("42")));
                    context.getBean(Outbox.class).purgeOnce();
                    assertThat(count(context, "SELECT COUNT(*) FROM outbox_event"))
                            .isZero();
                });
    }

    @ParameterizedTest
    @CsvSource({
        "outbox.partitions.enabled=true, outbox.purge.enabled=false, creates partitions also drops them",
        "outbox.archive.directory=/x, outbox.archive.table=y, are both set",
        "outbox.archive.table=y, outbox.purge.enabled=false, nothing would be",
        "outbox.archive.table=y, outbox.purge.by-age-alone=true, not archived one by one",
        "outbox.purge.by-age-alone=true, outbox.mode=multi-node, goes by age alone"
    })
    void contradictionsAreRefused(String one, String other, String why) {
        app(Mailer.class)
                .withPropertyValues(one, other)
                .run(context -> assertThat(failureOf(context)).hasMessageContaining(why));
    }
}
