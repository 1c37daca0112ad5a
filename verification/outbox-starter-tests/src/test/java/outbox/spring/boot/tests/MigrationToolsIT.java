package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static outbox.spring.boot.tests.Apps.app;
import static outbox.spring.boot.tests.Apps.inTransaction;

import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import outbox.domain.DomainEventPublisher;
import outbox.spring.boot.tests.Apps.Mailer;
import outbox.spring.boot.tests.Apps.OrderPlaced;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedH2;
import outbox.testing.server.EmbeddedMariaDb;
import outbox.testing.server.EmbeddedMySql;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.TestDatabase;

/** D7: the shipped files, run by Flyway and by Liquibase on every database; the outbox finds all it needs and delivers. */
class MigrationToolsIT {
    private static final String[] WITH_FLYWAY = {
        "spring.flyway.enabled=true", "spring.flyway.locations=classpath:db/dated"
    };
    private static final String[] WITH_LIQUIBASE = {
        "spring.liquibase.enabled=true", "spring.liquibase.change-log=classpath:db/changelog/orders.xml"
    };

    /** Each is started by the test that needs it: where one cannot run, the others do. */
    static Stream<Named<Supplier<DatabaseServer>>> databases() {
        return Stream.concat(Stream.of(Named.of("H2", EmbeddedH2::shared)), servers());
    }

    static Stream<Named<Supplier<DatabaseServer>>> servers() {
        return Stream.of(
                Named.of("PostgreSQL", EmbeddedPostgres::shared),
                Named.of("MySQL", EmbeddedMySql::shared),
                Named.of("MariaDB", EmbeddedMariaDb::shared));
    }

    private static ApplicationContextRunner shop(TestDatabase database, String... properties) {
        return app(Mailer.class)
                .withPropertyValues(
                        "spring.datasource.url=" + database.jdbcUrl(),
                        "spring.datasource.username=" + database.username(),
                        "spring.datasource.password=" + database.password(),
                        "outbox.handlers.tracking=jdbc")
                .withPropertyValues(properties);
    }

    private static void delivers(ApplicationContext context) {
        inTransaction(context, () -> context.getBean(DomainEventPublisher.class).publish(new OrderPlaced("42")));
        await().untilAsserted(
                        () -> assertThat(context.getBean(Mailer.class).mails).contains("42"));
        assertThat(context.getBean(JdbcTemplate.class)
                        .queryForObject("SELECT COUNT(*) FROM outbox_idempotency", Integer.class))
                .isZero();
    }

    /** The application has a V1 and dated versions, and {@code baselineOnMigrate} as an older application would. */
    @ParameterizedTest
    @MethodSource("databases")
    void flywayCreatesTheTablesInAHistoryBesideTheApplications(Supplier<DatabaseServer> server) {
        shop(server.get().freshDatabase(), WITH_FLYWAY)
                .withPropertyValues(
                        "outbox.schema.mode=flyway",
                        "outbox.mode=ordered",
                        "spring.flyway.baseline-on-migrate=true",
                        "spring.flyway.out-of-order=true")
                .run(MigrationToolsIT::delivers);
    }

    @ParameterizedTest
    @MethodSource("databases")
    void liquibaseCreatesTheTablesInAHistoryBesideTheApplications(Supplier<DatabaseServer> server) {
        shop(server.get().freshDatabase(), WITH_LIQUIBASE)
                .withPropertyValues("outbox.schema.mode=liquibase", "outbox.mode=ordered")
                .run(MigrationToolsIT::delivers);
    }

    @ParameterizedTest
    @MethodSource("databases")
    void changeLogsCanBeIncludedInTheApplications(Supplier<DatabaseServer> server) {
        shop(server.get().freshDatabase())
                .withPropertyValues(
                        "outbox.schema.mode=validate",
                        "outbox.mode=ordered",
                        "spring.liquibase.enabled=true",
                        "spring.liquibase.change-log=classpath:db/changelog/shop.xml")
                .run(MigrationToolsIT::delivers);
    }

    /** What has to be written is the dependency: the application's tool is found, and used for the same database. */
    @ParameterizedTest
    @MethodSource("servers")
    void byDefaultTheApplicationsFlywayIsUsedInItsOwnHistory(Supplier<DatabaseServer> server) {
        TestDatabase database = server.get().freshDatabase();
        shop(database, WITH_FLYWAY).withPropertyValues("outbox.enabled=false").run(context -> {});
        for (int start = 0; start < 2; start++) {
            shop(database, WITH_FLYWAY).run(context -> {
                delivers(context);
                JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
                assertThat(jdbc.queryForList("SELECT version FROM flyway_schema_history", String.class))
                        .containsExactly("1", "20240115103000", "20270301090000");
                assertThat(jdbc.queryForList("SELECT description FROM outbox_schema_history", String.class))
                        .contains("outbox event", "outbox consumption", "outbox lease");
            });
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void byDefaultTheApplicationsLiquibaseIsUsedInItsOwnHistory(Supplier<DatabaseServer> server) {
        TestDatabase database = server.get().freshDatabase();
        shop(database, WITH_LIQUIBASE)
                .withPropertyValues("outbox.enabled=false")
                .run(context -> {});
        for (int start = 0; start < 2; start++) {
            shop(database, WITH_LIQUIBASE).run(context -> {
                delivers(context);
                JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
                // on MySQL these names are case-sensitive
                String usual =
                        database.server().name().equals("postgresql") ? "databasechangelog" : "DATABASECHANGELOG";
                assertThat(jdbc.queryForList("SELECT author FROM " + usual, String.class))
                        .containsExactly("shop");
                assertThat(jdbc.queryForList("SELECT id FROM outbox_databasechangelog", String.class))
                        .anyMatch(id -> id.startsWith("outbox-event-"))
                        .anyMatch(id -> id.startsWith("outbox-consumption-"));
            });
        }
    }

    /** For teams that want one history. */
    @Test
    void theFilesCanBeMergedIntoAnExistingHistoryOutOfOrder() {
        TestDatabase database = EmbeddedPostgres.shared().freshDatabase();
        shop(database, WITH_FLYWAY).withPropertyValues("outbox.enabled=false").run(context -> {});
        shop(database, WITH_FLYWAY)
                .withPropertyValues(
                        "spring.flyway.out-of-order=true",
                        "spring.flyway.locations=classpath:db/dated,classpath:outbox/migration/postgresql,"
                                + "classpath:outbox/idempotency/migration/postgresql")
                .run(context -> {
                    delivers(context);
                    JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
                    assertThat(jdbc.queryForList("SELECT script FROM flyway_schema_history", String.class))
                            .contains("V1__orders.sql", "V20261101000001__outbox_event.sql");
                    assertThat(jdbc.queryForObject("SELECT to_regclass('outbox_schema_history')", String.class))
                            .isNull();
                });
    }

    private static String userWithoutRights(TestDatabase database) {
        String user = "app_" + database.name();
        JdbcTemplate administrator = new JdbcTemplate(database.dataSource());
        administrator.execute("CREATE ROLE " + user + " LOGIN PASSWORD 'secret'");
        administrator.execute("ALTER DEFAULT PRIVILEGES GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO " + user);
        return user;
    }

    @ParameterizedTest
    @ValueSource(strings = {"flyway", "liquibase"})
    void aUserWhoMayNotCreateTablesIsNamed(String tool) {
        TestDatabase database = EmbeddedPostgres.shared().freshDatabase();
        String user = userWithoutRights(database);
        shop(
                        database,
                        "spring.datasource.username=" + user,
                        "spring.datasource.password=secret",
                        "outbox.schema.mode=" + tool)
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("as database user " + user)
                        .rootCause()
                        .hasMessageContaining("permission denied for schema public"));
    }

    /** The user of the running application only reads and writes; that of the migrations creates the tables. */
    @ParameterizedTest
    @ValueSource(strings = {"flyway", "liquibase"})
    void theUserOfTheApplicationsMigrationsCreatesTheTables(String tool) {
        TestDatabase database = EmbeddedPostgres.shared().freshDatabase();
        shop(database, tool.equals("flyway") ? WITH_FLYWAY : WITH_LIQUIBASE)
                .withPropertyValues(
                        "spring.datasource.username=" + userWithoutRights(database),
                        "spring.datasource.password=secret",
                        "spring." + tool + ".user=" + database.username(),
                        "spring." + tool + ".password=" + database.password())
                .run(MigrationToolsIT::delivers);
    }
}
