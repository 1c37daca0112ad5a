package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.domain.DomainEventPublisher;
import outbox.domain.handler.EventHandler;
import outbox.spring.boot.tests.ControlCenterApps.LoginForm;
import outbox.spring.boot.tests.ControlCenterApps.OrderPlaced;
import outbox.spring.boot.tests.ControlCenterApps.Plain;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.TestDatabase;

/** Who creates the tables of nodes and of the page, and what an application does without them. */
@Tag("any-boot")
class ControlTablesIT {
    private static final String TOKEN = "a-token-of-thirty-two-characters-or-more";
    private static final List<Class<?>> PARTS = List.of(Plain.class, LoginForm.class, Mailer.class);
    private static final String[] WITHOUT_TABLES_OF_THE_PAGE = {
        "outbox.control-center.enabled=false",
        "outbox.control-center.heartbeat=PT0S",
        "outbox.control-center.record-attempts=false"
    };

    static class Mailer {
        final List<String> mails = new CopyOnWriteArrayList<>();

        @EventHandler(name = "mailer")
        void on(OrderPlaced event) {
            mails.add(event.orderId());
        }
    }

    private static ConfigurableApplicationContext start(TestDatabase database, String user, String... settings) {
        return start(PARTS, database, user, settings);
    }

    private static ConfigurableApplicationContext start(
            List<Class<?>> parts, TestDatabase database, String user, String... settings) {
        return ControlCenterApps.start(
                parts,
                Stream.concat(
                                Stream.of(
                                        "spring.datasource.url=" + database.jdbcUrl(),
                                        "spring.datasource.username=" + user,
                                        "spring.datasource.password="
                                                + (user.equals(database.username()) ? database.password() : "secret"),
                                        "spring.datasource.hikari.maximum-pool-size=4",
                                        "outbox.control-center.tokens.ci.secret=" + TOKEN),
                                Arrays.stream(settings))
                        .toArray(String[]::new));
    }

    /** The tables an application needs to deliver, and none of the page. */
    private static TestDatabase withTablesOfEvents() {
        TestDatabase database = EmbeddedPostgres.shared().freshDatabase();
        String[] settings = Arrays.copyOf(WITHOUT_TABLES_OF_THE_PAGE, WITHOUT_TABLES_OF_THE_PAGE.length + 1);
        settings[WITHOUT_TABLES_OF_THE_PAGE.length] = "outbox.schema.mode=always";
        start(database, database.username(), settings).close();
        return database;
    }

    private static List<String> tables(TestDatabase database) {
        return new JdbcTemplate(database.dataSource())
                .queryForList(
                        "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1",
                        String.class);
    }

    private static void delivers(ConfigurableApplicationContext context) {
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                .executeWithoutResult(tx -> context.getBean(DomainEventPublisher.class)
                        .publish(new OrderPlaced(UUID.randomUUID().toString(), Instant.now(), "42")));
        await().atMost(Duration.ofMinutes(1))
                .until(() -> context.getBean(Mailer.class).mails.contains("42"));
    }

    private static HttpResponse<String> page(ConfigurableApplicationContext context) throws Exception {
        return ControlCenterApps.send(context, "GET", "/api/v1/apps/outbox/events", TOKEN);
    }

    @ParameterizedTest
    @ValueSource(strings = {"never", "validate"})
    void modesThatCreateNothingCreateNothingOfThePageEither(String mode) throws Exception {
        TestDatabase database = withTablesOfEvents();
        List<String> before = tables(database);
        assertThat(before).contains("outbox_event").noneMatch(name -> name.startsWith("outbox_cc_"));
        try (ConfigurableApplicationContext context =
                start(database, database.username(), "outbox.schema.mode=" + mode)) {
            delivers(context);
            assertThat(page(context).statusCode()).isEqualTo(503);
            assertThat(tables(database)).isEqualTo(before);
        }
        database.drop();
    }

    /** Also in a mode that would create them: an operator's page must not keep the application down. */
    @ParameterizedTest
    @ValueSource(strings = {"always", "validate"})
    void aUserWhoMayNotCreateTablesStartsTheApplicationAndThePageNamesTheFilesToRun(String mode) throws Exception {
        TestDatabase database = withTablesOfEvents();
        JdbcTemplate administrator = new JdbcTemplate(database.dataSource());
        String user = "app_" + database.name();
        administrator.execute("CREATE ROLE " + user + " LOGIN PASSWORD 'secret'");
        grant(administrator, user);

        String said;
        try (ConfigurableApplicationContext context = start(database, user, "outbox.schema.mode=" + mode)) {
            delivers(context);
            HttpResponse<String> answer = page(context);
            assertThat(answer.statusCode()).isEqualTo(503);
            said = answer.body();
        }

        List<String> files = filesIn(said);
        assertThat(files).as(said).hasSize(2);
        for (String file : files) {
            new ResourceDatabasePopulator(new ClassPathResource(file)).execute(database.dataSource());
        }
        grant(administrator, user);
        try (ConfigurableApplicationContext context = start(database, user, "outbox.schema.mode=" + mode)) {
            assertThat(page(context).statusCode()).isEqualTo(200);
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> administrator.queryForObject("SELECT COUNT(*) FROM outbox_node", Integer.class) == 1);
        }
        database.drop();
    }

    @ParameterizedTest
    @ValueSource(strings = {"flyway", "liquibase"})
    void migrationToolsCreateTheTablesOfThePageToo(String tool) throws Exception {
        TestDatabase database = EmbeddedPostgres.shared().freshDatabase();
        try (ConfigurableApplicationContext context =
                start(database, database.username(), "outbox.schema.mode=" + tool)) {
            delivers(context);
            assertThat(page(context).statusCode()).isEqualTo(200);
            assertThat(tables(database)).contains("outbox_node", "outbox_cc_audit", "outbox_consumption");
        }
        database.drop();
    }

    private static void grant(JdbcTemplate administrator, String user) {
        administrator.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO " + user);
    }

    private static List<String> filesIn(String text) {
        List<String> files = new ArrayList<>();
        Matcher matcher = Pattern.compile("outbox/\\S+\\.sql").matcher(text);
        while (matcher.find()) {
            files.add(matcher.group());
        }
        return files;
    }

    /** Lets all replicas arrive at the empty database together. */
    static class Together {
        private static final int REPLICAS = 8;
        private static final CyclicBarrier BARRIER = new CyclicBarrier(REPLICAS);

        @Bean
        static BeanPostProcessor barrier() {
            return new BeanPostProcessor() {
                @Override
                public Object postProcessAfterInitialization(Object bean, String name) {
                    if (bean instanceof DataSource) {
                        try {
                            BARRIER.await(5, TimeUnit.MINUTES); // a replica that fails before must not hold the others
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                    }
                    return bean;
                }
            };
        }
    }

    @Test
    void allReplicasWithThePageComeUpOnAnEmptyDatabase() throws Exception {
        ExecutorService replicas = Executors.newFixedThreadPool(Together.REPLICAS);
        // a process has one logging system, which eight applications cannot set up at the same time
        System.setProperty(LoggingSystem.SYSTEM_PROPERTY, LoggingSystem.NONE);
        try {
            TestDatabase database = EmbeddedPostgres.shared().freshDatabase();
            List<Future<ConfigurableApplicationContext>> starts = new ArrayList<>();
            for (int i = 0; i < Together.REPLICAS; i++) {
                starts.add(replicas.submit(() -> start(
                        List.of(Plain.class, LoginForm.class, Mailer.class, Together.class),
                        database,
                        database.username(),
                        "outbox.schema.mode=always")));
            }
            List<ConfigurableApplicationContext> contexts = new ArrayList<>();
            for (Future<ConfigurableApplicationContext> start : starts) {
                contexts.add(start.get());
            }
            for (ConfigurableApplicationContext context : contexts) {
                assertThat(page(context).statusCode()).isEqualTo(200);
            }
            contexts.forEach(ConfigurableApplicationContext::close);
            database.drop();
        } finally {
            System.clearProperty(LoggingSystem.SYSTEM_PROPERTY);
            replicas.shutdownNow();
        }
    }
}
