package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static outbox.spring.boot.tests.Apps.app;
import static outbox.spring.boot.tests.Apps.failureOf;
import static outbox.spring.boot.tests.Apps.inTransaction;

import com.zaxxer.hikari.HikariDataSource;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.test.util.ReflectionTestUtils;
import org.springframework.util.ClassUtils;
import outbox.cdc.CdcRelay;
import outbox.cdc.CdcStatus;
import outbox.domain.DomainEventPublisher;
import outbox.spring.boot.tests.Apps.Mailer;
import outbox.spring.boot.tests.Apps.OrderPlaced;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.EmbeddedServer;
import outbox.testing.server.ServerOptions;
import outbox.testing.server.TestDatabase;

/** Handlers that get their events from the database's log. */
class CdcIT {
    private static EmbeddedServer server;

    @BeforeAll
    static void startServer() {
        server = EmbeddedPostgres.start(ServerOptions.defaults().with("wal_level", "logical"));
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    /** Nothing in the environment says as whom to log in. */
    private static ApplicationContextRunner withoutUser() {
        return app(Mailer.class)
                .withPropertyValues("outbox.cdc.enabled=true", "outbox.mode=writer-only", "outbox.schema.mode=always");
    }

    private static void delivers(ApplicationContext context) {
        CdcRelay relay = context.getBean(CdcRelay.class);
        inTransaction(context, () -> context.getBean(DomainEventPublisher.class).publish(new OrderPlaced("42")));
        await().untilAsserted(
                        () -> assertThat(context.getBean(Mailer.class).mails).containsExactly("42"));
        relay.close();
        relay.forget();
    }

    /** As Docker Compose support and Testcontainers give them: the properties know nothing of this database. */
    @Test
    @SuppressWarnings({"unchecked", "rawtypes"})
    void aRelayLogsInAsConnectionDetailsSay() {
        TestDatabase database = server.freshDatabase();
        Class details = connectionDetails();
        withoutUser()
                .withBean(
                        details,
                        () -> Proxy.newProxyInstance(
                                CdcIT.class.getClassLoader(),
                                new Class<?>[] {details},
                                (proxy, method, args) -> switch (method.getName()) {
                                    case "getJdbcUrl" -> database.jdbcUrl();
                                    case "getUsername" -> database.username();
                                    case "getPassword" -> database.password();
                                    case "hashCode" -> 1;
                                    case "equals" -> proxy == args[0];
                                    case "toString" -> "details of a container";
                                    default -> InvocationHandler.invokeDefault(proxy, method, args);
                                }))
                .run(CdcIT::delivers);
    }

    /** It has another package in Spring Boot 4. */
    private static Class<?> connectionDetails() {
        return Stream.of(
                        "org.springframework.boot.autoconfigure.jdbc.JdbcConnectionDetails",
                        "org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails")
                .filter(name -> ClassUtils.isPresent(name, CdcIT.class.getClassLoader()))
                .<Class<?>>map(name -> ClassUtils.resolveClassName(name, CdcIT.class.getClassLoader()))
                .findFirst()
                .orElseThrow();
    }

    static Stream<Function<TestDatabase, DataSource>> handMade() {
        return Stream.of(
                database -> new DriverManagerDataSource(database.jdbcUrl(), database.username(), database.password()),
                database -> new LazyConnectionDataSourceProxy(DataSourceBuilder.create()
                        .type(HikariDataSource.class)
                        .url(database.jdbcUrl())
                        .username(database.username())
                        .password(database.password())
                        .build()));
    }

    @ParameterizedTest
    @MethodSource("handMade")
    void aRelayLogsInAsADataSourceThatWasMadeByHandDoes(Function<TestDatabase, DataSource> maker) {
        TestDatabase database = server.freshDatabase();
        withoutUser().withBean(DataSource.class, () -> maker.apply(database)).run(CdcIT::delivers);
    }

    @Test
    void aDataSourceThatDoesNotTellItsUserIsNamedWithTheWayOut() {
        TestDatabase database = server.freshDatabase();
        withoutUser()
                .withBean(DataSource.class, database::dataSource)
                .run(context -> assertThat(failureOf(context))
                        .hasMessageContaining("does not expose its user. Set outbox.cdc.username"));
    }

    private static ApplicationContextRunner relaying() {
        TestDatabase database = server.freshDatabase();
        return app(Mailer.class)
                .withPropertyValues(
                        "spring.datasource.url=" + database.jdbcUrl(),
                        "spring.datasource.username=" + database.username(),
                        "spring.datasource.password=" + database.password(),
                        "outbox.cdc.enabled=true",
                        "outbox.mode=writer-only");
    }

    @ParameterizedTest
    @ValueSource(strings = {"always", "flyway", "liquibase"})
    void handlersGetWhatTheLogSays(String schema) {
        relaying().withPropertyValues("outbox.schema.mode=" + schema).run(context -> {
            CdcRelay relay = context.getBean(CdcRelay.class);
            await().until(() -> relay.status().state() == CdcStatus.State.RUNNING);
            inTransaction(
                    context, () -> context.getBean(DomainEventPublisher.class).publish(new OrderPlaced("42")));
            await().untilAsserted(() ->
                    assertThat(context.getBean(Mailer.class).mails).containsExactly("42"));
            assertThat(context.getBean(JdbcTemplate.class)
                            .queryForObject("SELECT status FROM outbox_event", Integer.class))
                    .as("nobody marks a row")
                    .isZero();
            context.getBean(JdbcTemplate.class)
                    .update("UPDATE outbox_event SET available_at = available_at - INTERVAL '1 day'");
            assertThat(health(context)).as("so none is overdue").contains("oldestPendingSeconds=0");
            relay.close();
            relay.forget();
        });
    }

    @Test
    void healthTellsOfALogThatCanNotBeReadAndIsDownWhenTheRelayStopped() {
        relaying()
                .withPropertyValues("outbox.schema.mode=always", "outbox.cdc.debezium.[max.batch.size]=none")
                .run(context -> {
                    CdcRelay relay = context.getBean(CdcRelay.class);
                    await().until(() -> relay.status().state() == CdcStatus.State.FAILING);
                    assertThat(health(context)).contains("UP", "state=FAILING", "lastError=", "max.batch.size");
                    relay.close();
                    assertThat(health(context)).contains("DOWN", "state=STOPPED", "delivery=stopped");
                    relay.forget();
                });
    }

    /** Its class is another one in Spring Boot 4. */
    private static String health(ApplicationContext context) {
        Object indicator = context.getBean("outboxHealthIndicator");
        Object health = ReflectionTestUtils.invokeMethod(indicator, "health");
        return String.valueOf(health);
    }

    @Test
    void aStoppedContextWithARelaySaysThatItDoesNotBeginAgain() {
        relaying().withPropertyValues("outbox.schema.mode=always").run(context -> {
            ConfigurableApplicationContext application =
                    context.getSourceApplicationContext(ConfigurableApplicationContext.class);
            application.stop();
            assertThatThrownBy(application::start).rootCause().hasMessageContaining("restart the application");
            context.getBean(CdcRelay.class).forget();
        });
    }

    @Test
    void missingTablesStopTheStartAndAreNamedWithAllOthers() {
        relaying()
                .run(context -> assertThat(failureOf(context))
                        .hasMessageContaining("outbox_event")
                        .hasMessageContaining("outbox_cdc_offset")
                        .hasMessageContaining("outbox_cdc_dead"));
        ApplicationContextRunner application = relaying();
        application
                .withPropertyValues("outbox.cdc.enabled=false", "outbox.schema.mode=always")
                .run(context -> assertThat(context).hasNotFailed());
        application.run(context -> assertThat(failureOf(context)).hasMessageContaining("outbox_cdc_offset"));
    }

    @Test
    void aPollerBesideTheRelayIsRefused() {
        app(Mailer.class)
                .withPropertyValues("outbox.cdc.enabled=true")
                .run(context -> assertThat(failureOf(context)).hasMessageContaining("Set outbox.mode=writer-only"));
    }
}
