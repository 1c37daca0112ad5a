package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static outbox.spring.boot.tests.Apps.app;
import static outbox.spring.boot.tests.Apps.inTransaction;

import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
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
    /** Each is started by the test that needs it: where one cannot run, the others do. */
    static Stream<Named<Supplier<DatabaseServer>>> databases() {
        return Stream.of(
                Named.of("H2", EmbeddedH2::shared),
                Named.of("PostgreSQL", EmbeddedPostgres::shared),
                Named.of("MySQL", EmbeddedMySql::shared),
                Named.of("MariaDB", EmbeddedMariaDb::shared));
    }

    private static void delivers(Supplier<DatabaseServer> server, String... properties) {
        TestDatabase database = server.get().freshDatabase();
        app(Mailer.class)
                .withPropertyValues(
                        "spring.datasource.url=" + database.jdbcUrl(),
                        "spring.datasource.username=" + database.username(),
                        "spring.datasource.password=" + database.password(),
                        "outbox.schema.mode=validate",
                        "outbox.handlers.tracking=jdbc")
                .withPropertyValues(properties)
                .run(context -> {
                    inTransaction(
                            context,
                            () -> context.getBean(DomainEventPublisher.class).publish(new OrderPlaced("42")));
                    await().untilAsserted(() ->
                            assertThat(context.getBean(Mailer.class).mails).contains("42"));
                    assertThat(context.getBean(JdbcTemplate.class)
                                    .queryForObject("SELECT COUNT(*) FROM outbox_idempotency", Integer.class))
                            .isZero();
                });
    }

    /** The application has a V1 and a V2 of its own, and {@code baselineOnMigrate} as an older application would. */
    @ParameterizedTest
    @MethodSource("databases")
    void flywayCreatesTheTablesInAHistoryBesideTheApplications(Supplier<DatabaseServer> server) {
        delivers(
                server,
                "outbox.schema.mode=flyway",
                "outbox.mode=ordered",
                "spring.flyway.enabled=true",
                "spring.flyway.baseline-on-migrate=true",
                "spring.flyway.locations=classpath:db/migration");
    }

    @ParameterizedTest
    @MethodSource("databases")
    void liquibaseMakesWhatTheOutboxNeedsAndTheOrderToo(Supplier<DatabaseServer> server) {
        delivers(
                server,
                "outbox.mode=ordered",
                "spring.liquibase.enabled=true",
                "spring.liquibase.change-log=classpath:db/changelog/shop.xml");
    }
}
