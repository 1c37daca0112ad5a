package outbox.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.gruelbox.transactionoutbox.Dialect;
import com.gruelbox.transactionoutbox.Instantiator;
import com.gruelbox.transactionoutbox.Persistor;
import com.gruelbox.transactionoutbox.TransactionManager;
import com.gruelbox.transactionoutbox.TransactionOutbox;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.TestDatabase;

/**
 * Entries that another library wrote and has not sent are carried over as docs/migrating.md says, and each is delivered
 * exactly once, to the handler that has not had it.
 */
class MigrationTest {
    private static final List<String> MODULITH = List.of(
            "org.springframework.modulith.events.config.EventPublicationAutoConfiguration",
            "org.springframework.modulith.events.jdbc.JdbcEventPublicationAutoConfiguration");
    private static final List<String> NAMASTACK = List.of(
            "io.namastack.outbox.config.OutboxCoreInfrastructureAutoConfiguration",
            "io.namastack.outbox.config.OutboxCoreMulticasterAutoConfiguration",
            "io.namastack.outbox.config.OutboxCoreProcessingAutoConfiguration",
            "io.namastack.outbox.config.OutboxCoreSchedulingAutoConfiguration",
            "io.namastack.outbox.config.OutboxCoreThreadingAutoConfiguration",
            "io.namastack.outbox.config.JdbcOutboxAutoConfiguration",
            "io.namastack.outbox.config.JdbcOutboxSchemaAutoConfiguration",
            "io.namastack.outbox.OutboxJacksonAutoConfiguration");
    private static final List<String> BOTH =
            Stream.concat(MODULITH.stream(), NAMASTACK.stream()).toList();

    private final TestDatabase database = EmbeddedPostgres.shared().freshDatabase();

    @BeforeAll
    static void patience() {
        Awaitility.setDefaultTimeout(Duration.ofSeconds(60)); // a busy machine is no failure
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableAsync
    @Import(ModulithListeners.class)
    static class OnModulith {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableScheduling
    @Import({NamastackListeners.class, NamastackOrders.class})
    static class OnNamastack {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({AfterListeners.class, AfterOrders.class})
    static class After {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Mailer.class, MailHandler.class, GruelboxMigration.class})
    static class AfterGruelbox {}

    private ConfigurableApplicationContext start(
            Class<?> application, Effects effects, List<String> excluded, String... settings) {
        List<String> arguments = new ArrayList<>(List.of(settings));
        arguments.add("--spring.datasource.url=" + database.jdbcUrl());
        arguments.add("--spring.datasource.username=" + database.username());
        arguments.add("--spring.datasource.password=" + database.password());
        arguments.add("--spring.autoconfigure.exclude=" + String.join(",", excluded));
        arguments.add("--logging.level.root=WARN");
        return new SpringApplicationBuilder(application)
                .web(WebApplicationType.NONE)
                .initializers(context -> context.getBeanFactory().registerSingleton("effects", effects))
                .run(arguments.toArray(String[]::new));
    }

    private ConfigurableApplicationContext startAfter(Class<?> application, Effects effects) {
        return start(application, effects, BOTH, "--outbox.schema.mode=always");
    }

    private static void inTransaction(ConfigurableApplicationContext context, Runnable work) {
        context.getBean(TransactionTemplate.class).executeWithoutResult(status -> work.run());
    }

    /** Only the confirmation of order 1 gets through: two reservations and one mail are left. */
    private static Effects awayExceptForMailOne() {
        Predicate<String> fails = effect -> !effect.equals("mail 1");
        return new Effects(fails);
    }

    private static String sql(String name) {
        try {
            return new ClassPathResource(name).getContentAsString(StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void carryOverTwice(String script, String left) {
        Effects effects = new Effects(effect -> false);
        try (ConfigurableApplicationContext after = startAfter(After.class, effects)) {
            JdbcTemplate jdbc = after.getBean(JdbcTemplate.class);
            assertThat(jdbc.queryForObject(left, Integer.class)).isEqualTo(3);

            assertThat(jdbc.update(sql(script))).isEqualTo(3);
            assertThat(jdbc.update(sql(script))).as("the second time").isZero();

            await().until(() ->
                    jdbc.queryForObject("SELECT count(*) FROM outbox_event WHERE status = 1", int.class) == 3);
            assertThat(effects.seen()).containsExactlyInAnyOrder("stock 1", "stock 2", "mail 2");
            assertThat(jdbc.queryForObject(left, Integer.class)).isZero();

            after.getBean(AfterOrders.class).place("3", "lamp");
            await().until(() -> effects.seen().containsAll(List.of("stock 3", "mail 3")));
        }
    }

    @Test
    void fromTheEventPublicationRegistryOfSpringModulith() {
        Effects before = awayExceptForMailOne();
        try (ConfigurableApplicationContext old = start(
                OnModulith.class,
                before,
                NAMASTACK,
                "--outbox.enabled=false",
                "--spring.modulith.events.jdbc.schema-initialization.enabled=true")) {
            inTransaction(old, () -> old.publishEvent(new OrderPlaced("1", "chair")));
            inTransaction(old, () -> old.publishEvent(new OrderPlaced("2", "table")));
            await().until(() -> old.getBean(JdbcTemplate.class)
                            .queryForObject(
                                    "SELECT count(*) FROM event_publication WHERE completion_date IS NOT NULL",
                                    int.class)
                    == 1);
            await().until(() -> before.refused() == 3);
        }
        assertThat(before.seen()).containsExactly("mail 1");

        carryOverTwice("from-modulith.sql", "SELECT count(*) FROM event_publication WHERE completion_date IS NULL");
    }

    @Test
    void fromNamastack() {
        Effects before = awayExceptForMailOne();
        try (ConfigurableApplicationContext old = start(
                OnNamastack.class,
                before,
                MODULITH,
                "--outbox.enabled=false",
                "--namastack.outbox.jdbc.schema-initialization.enabled=true",
                "--namastack.outbox.polling.fixed.interval=50ms")) {
            NamastackOrders orders = old.getBean(NamastackOrders.class);
            orders.place("1", "chair");
            orders.place("2", "table");
            JdbcTemplate jdbc = old.getBean(JdbcTemplate.class);
            await().until(() ->
                    jdbc.queryForObject("SELECT count(*) FROM outbox_record WHERE status = 'COMPLETED'", int.class)
                            == 1);
        }
        assertThat(before.seen()).containsExactly("mail 1");

        carryOverTwice("from-namastack.sql", "SELECT count(*) FROM outbox_record WHERE status <> 'COMPLETED'");
    }

    @Test
    void fromTransactionOutbox() {
        TransactionManager transactions = TransactionManager.fromDataSource(database.dataSource());
        TransactionOutbox old = TransactionOutbox.builder()
                .transactionManager(transactions)
                .persistor(Persistor.forDialect(Dialect.POSTGRESQL_9))
                .instantiator(Instantiator.using(type -> new Mailer(new Effects(effect -> true))))
                .submitter((entry, work) -> {}) // the process ended before it came to them
                .build();
        GruelboxOrders orders = new GruelboxOrders(transactions, old);
        orders.place("1", "chair");
        orders.place("2", "table");

        Effects effects = new Effects(effect -> false);
        try (ConfigurableApplicationContext after = startAfter(AfterGruelbox.class, effects)) {
            JdbcTemplate jdbc = after.getBean(JdbcTemplate.class);
            GruelboxMigration migration = after.getBean(GruelboxMigration.class);
            assertThat(migration.carryOver()).isEqualTo(2);
            assertThat(migration.carryOver()).as("the second time").isZero();

            await().until(() ->
                    jdbc.queryForObject("SELECT count(*) FROM outbox_event WHERE status = 1", int.class) == 2);
            assertThat(effects.seen()).containsExactlyInAnyOrder("mail 1 chair", "mail 2 table");
            assertThat(jdbc.queryForObject("SELECT count(*) FROM txno_outbox", int.class))
                    .isZero();
        }
    }
}
