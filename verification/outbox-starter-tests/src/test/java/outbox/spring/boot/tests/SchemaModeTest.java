package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static outbox.spring.boot.tests.Apps.app;
import static outbox.spring.boot.tests.Apps.inTransaction;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import outbox.domain.DomainEventPublisher;
import outbox.spring.boot.tests.Apps.Mailer;
import outbox.spring.boot.tests.Apps.OrderPlaced;

/** Who makes the table. */
class SchemaModeTest {
    @TempDir
    Path directory;

    private String file() {
        return "spring.datasource.url=jdbc:h2:file:" + directory.resolve("db");
    }

    private static void delivers(ApplicationContext context) {
        inTransaction(context, () -> context.getBean(DomainEventPublisher.class).publish(new OrderPlaced("42")));
        await().untilAsserted(
                        () -> assertThat(context.getBean(Mailer.class).mails).contains("42"));
    }

    @Test
    void anEmbeddedDatabaseGetsItByDefault() {
        app(Mailer.class).run(context -> delivers(context));
    }

    @Test
    void anotherDatabaseDoesNot() {
        app(Mailer.class)
                .withPropertyValues(file())
                .run(context ->
                        assertThat(Apps.failureOf(context)).hasMessageContaining("table outbox_event does not exist"));
    }

    @Test
    void alwaysMakesItAnywhereAndKeepsWhatIsThere() {
        app(Mailer.class)
                .withPropertyValues(file(), "outbox.schema.mode=always")
                .run(context -> delivers(context));
        app(Mailer.class)
                .withPropertyValues(file(), "outbox.schema.mode=validate")
                .run(context -> {
                    delivers(context);
                    assertThat(context.getBean(JdbcTemplate.class)
                                    .queryForObject("SELECT COUNT(*) FROM outbox_event", Integer.class))
                            .isEqualTo(2);
                });
    }

    @Test
    void anIndexThatCanNotBeMadeFailsTheStart() {
        app(Mailer.class)
                .withPropertyValues(file(), "outbox.schema.mode=always")
                .run(context -> context.getBean(JdbcTemplate.class)
                        .execute("ALTER TABLE outbox_event RENAME TO outbox_event_old"));
        app(Mailer.class)
                .withPropertyValues(file(), "outbox.schema.mode=always")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("CREATE INDEX outbox_event_due")
                        .hasStackTraceContaining("renamed"));
    }

    @Test
    void neverLeavesItToTheEngineToComplain() {
        app(Mailer.class)
                .withPropertyValues("outbox.schema.mode=never")
                .run(context -> assertThat(Apps.failureOf(context)).hasMessageContaining("OUTBOX_EVENT"));
    }

    @Test
    void orderedModeGetsItsColumn() {
        app(Mailer.class).withPropertyValues("outbox.mode=ordered").run(context -> {
            delivers(context);
            assertThat(context.getBean(JdbcTemplate.class)
                            .queryForObject("SELECT MAX(seq) FROM outbox_event", Integer.class))
                    .isEqualTo(1);
        });
    }

    @Test
    void anotherTableNameIsUsed() {
        app(Mailer.class).withPropertyValues("outbox.table=shop_event").run(context -> {
            delivers(context);
            assertThat(context.getBean(JdbcTemplate.class)
                            .queryForObject("SELECT COUNT(*) FROM shop_event", Integer.class))
                    .isEqualTo(1);
        });
    }
}
