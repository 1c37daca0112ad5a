package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static outbox.spring.boot.tests.Apps.app;
import static outbox.spring.boot.tests.Apps.inTransaction;

import org.junit.jupiter.api.Test;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import outbox.domain.DomainEventPublisher;
import outbox.spring.boot.tests.Apps.Mailer;
import outbox.spring.boot.tests.Apps.OrderPlaced;

/** D7: the table comes from a migration, and the outbox waits for it. */
class MigrationToolsTest {
    private static void delivers(ApplicationContext context) {
        inTransaction(context, () -> context.getBean(DomainEventPublisher.class).publish(new OrderPlaced("42")));
        await().untilAsserted(
                        () -> assertThat(context.getBean(Mailer.class).mails).contains("42"));
    }

    @Test
    void flywayBringsTheTableBesideTheApplicationsOwn() {
        app(Mailer.class)
                .withPropertyValues(
                        "outbox.schema.mode=validate",
                        "spring.flyway.enabled=true",
                        "spring.flyway.locations=classpath:db/migration,classpath:outbox/migration/{vendor}")
                .run(context -> {
                    delivers(context);
                    assertThat(context.getBean(JdbcTemplate.class)
                                    .queryForList("SELECT \"script\" FROM \"flyway_schema_history\"", String.class))
                            .containsSubsequence("V1__outbox_event.sql", "V2__orders.sql");
                });
    }

    @Test
    void liquibaseBringsAllTables() {
        app(Mailer.class)
                .withPropertyValues(
                        "outbox.schema.mode=validate",
                        "outbox.mode=ordered",
                        "outbox.handlers.tracking=jdbc",
                        "spring.liquibase.enabled=true",
                        "spring.liquibase.change-log=classpath:db/changelog/shop.xml")
                .run(context -> {
                    delivers(context);
                    assertThat(context.getBean(JdbcTemplate.class)
                                    .queryForObject("SELECT COUNT(*) FROM outbox_idempotency", Integer.class))
                            .isZero();
                });
    }
}
