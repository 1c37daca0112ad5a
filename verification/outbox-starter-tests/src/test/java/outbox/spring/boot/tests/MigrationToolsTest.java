package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static outbox.spring.boot.tests.Apps.app;
import static outbox.spring.boot.tests.Apps.inTransaction;

import java.nio.file.Path;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
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

    private static final String[] BY_FLYWAY = {
        "outbox.schema.mode=flyway",
        "outbox.handlers.tracking=jdbc",
        "spring.flyway.enabled=true",
        "spring.flyway.locations=classpath:db/migration"
    };

    /** Its V1 and V2 are not ours, and what it adds later may have any number. */
    @Test
    void flywayKeepsAHistoryBesideThatOfAnApplicationWithItsOwnVersionOne() {
        app(Mailer.class).withPropertyValues(BY_FLYWAY).run(context -> {
            delivers(context);
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            assertThat(jdbc.queryForList(
                            "SELECT \"script\" FROM \"flyway_schema_history\" WHERE \"type\" = 'SQL'", String.class))
                    .containsExactly("V1__customers.sql", "V2__orders.sql");
            assertThat(jdbc.queryForList("SELECT \"script\" FROM \"outbox_schema_history\"", String.class))
                    .contains(
                            "V20261101000001__outbox_event.sql",
                            "V20261101000002__outbox_consumption.sql",
                            "V20261101000007__outbox_lease.sql");
        });
    }

    /** The schema has tables and no history, as that of an application that begins to use Flyway. */
    @Test
    void aBaselineOfTheApplicationSkipsNoTableOfTheOutbox() {
        app(Mailer.class, LegacyTables.class)
                .withPropertyValues(BY_FLYWAY)
                .withPropertyValues("spring.flyway.baseline-on-migrate=true", "spring.flyway.baseline-version=57")
                .run(context -> {
                    delivers(context);
                    assertThat(context.getBean(JdbcTemplate.class)
                                    .queryForList(
                                            "SELECT \"version\" FROM \"flyway_schema_history\" WHERE \"version\" IS NOT NULL",
                                            String.class))
                            .containsExactly("57");
                });
    }

    /** A module that is added later has earlier versions than some that are applied. */
    @Test
    void aSecondStartAddsWhatIsNew() {
        String url = "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
        app(Mailer.class).withPropertyValues(BY_FLYWAY).withPropertyValues(url).run(context -> delivers(context));
        app(Mailer.class)
                .withPropertyValues(BY_FLYWAY)
                .withPropertyValues(url, "outbox.mode=ordered")
                .run(context -> delivers(context));
    }

    /** As of a module that was removed, or of another application on the same tables. */
    @Test
    void migrationsThisApplicationDoesNotHaveAreLeftAlone() {
        String url = "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
        app(Mailer.class)
                .withPropertyValues(BY_FLYWAY)
                .withPropertyValues(url, "outbox.mode=ordered")
                .run(context -> delivers(context));
        app(Mailer.class).withPropertyValues(BY_FLYWAY).withPropertyValues(url).run(context -> delivers(context));
    }

    @Test
    void aFlywayOfAnotherDatabaseCreatesNothingHere(@TempDir Path directory) {
        app(Mailer.class)
                .withPropertyValues(
                        "spring.datasource.url=jdbc:h2:file:" + directory.resolve("orders"),
                        "spring.flyway.enabled=true",
                        "spring.flyway.url=jdbc:h2:file:" + directory.resolve("customers"))
                .run(context ->
                        assertThat(Apps.failureOf(context)).hasMessageContaining("table outbox_event does not exist"));
    }

    @Test
    void byDefaultOtherNamesAreOnlyChecked(@TempDir Path directory) {
        app(Mailer.class)
                .withPropertyValues(
                        "spring.datasource.url=jdbc:h2:file:" + directory.resolve("orders"),
                        "spring.flyway.enabled=true",
                        "outbox.table=shop_event")
                .run(context ->
                        assertThat(Apps.failureOf(context)).hasMessageContaining("table shop_event does not exist"));
    }

    @Test
    void otherNamesAreRefused() {
        app(Mailer.class)
                .withPropertyValues(BY_FLYWAY)
                .withPropertyValues("outbox.table=shop_event")
                .run(context -> assertThat(Apps.failureOf(context))
                        .hasMessageContaining("shop_event")
                        .hasMessageContaining("outbox schema print --table shop_event"));
    }

    @Test
    void withoutFlywayOnTheClassPathItSaysSo() {
        app(Mailer.class)
                .withClassLoader(new FilteredClassLoader("org.flywaydb"))
                .withPropertyValues("outbox.schema.mode=flyway")
                .run(context -> assertThat(Apps.failureOf(context)).hasMessageContaining("org.flywaydb:flyway-core"));
    }

    @Test
    void withoutLiquibaseOnTheClassPathItSaysSo() {
        app(Mailer.class)
                .withClassLoader(new FilteredClassLoader("liquibase"))
                .withPropertyValues("outbox.schema.mode=liquibase")
                .run(context ->
                        assertThat(Apps.failureOf(context)).hasMessageContaining("org.liquibase:liquibase-core"));
    }

    /** Skipped by a baseline, or by whatever else: it is noticed, and the text recommends what works. */
    @Test
    void tablesThatNoMigrationCreatedAreAllNamed() {
        app(Mailer.class)
                .withPropertyValues("outbox.schema.mode=validate", "spring.flyway.enabled=true")
                .run(context -> assertThat(Apps.failureOf(context))
                        .hasMessageContaining("outbox_event")
                        .hasMessageContaining("outbox_consumption")
                        .hasMessageContaining("outbox_idempotency")
                        .hasMessageContaining("outbox_lease"));
    }

    @Configuration(proxyBeanMethods = false)
    static class LegacyTables {
        @Bean
        static DataSource dataSource() {
            DataSource dataSource =
                    new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
            new JdbcTemplate(dataSource).execute("CREATE TABLE customers (id INT PRIMARY KEY)");
            return dataSource;
        }
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
