package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import outbox.OutboxWriter;
import outbox.domain.handler.EventHandler;
import outbox.spring.boot.tests.Apps.Mailer;
import outbox.spring.boot.tests.Apps.OrderPlaced;
import outbox.spring.boot.tests.Apps.Plain;

/** Each fault is printed as a sentence with its fix, and not as a stack trace. */
@ExtendWith(OutputCaptureExtension.class)
class FailureAnalysisTest {
    private static String start(CapturedOutput output, Class<?> application, String... properties) {
        String[] arguments = new String[properties.length + 3];
        arguments[2] = "--spring.data.jpa.repositories.enabled=false";
        arguments[0] = "--spring.main.web-application-type=none";
        arguments[1] = "--spring.main.banner-mode=off";
        for (int i = 0; i < properties.length; i++) {
            arguments[i + 3] = "--" + properties[i];
        }
        assertThatThrownBy(() -> SpringApplication.run(application, arguments)).isNotNull();
        assertThat(output.getOut()).contains("APPLICATION FAILED TO START");
        return output.getOut().substring(output.getOut().indexOf("APPLICATION FAILED TO START"));
    }

    private static String database() {
        return "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID();
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Plain.class, Mailer.class})
    static class WithHandler {}

    @Test
    void missingTablesArePrintedAllAtOnceWithTheirDdl(CapturedOutput output) {
        assertThat(start(output, WithHandler.class, database(), "outbox.schema.mode=validate"))
                .contains("Table outbox_event does not exist", "table outbox_consumption does not exist")
                .contains("table outbox_idempotency does not exist", "table outbox_lease does not exist")
                .contains("outbox.schema.mode=flyway", "outbox.schema.mode=liquibase", "outbox.schema.mode=always")
                .doesNotContain("spring.flyway.locations")
                .contains("CREATE TABLE outbox_event (", "CREATE TABLE outbox_consumption (");
    }

    @Test
    void aUserWhoMayNotMigrateIsPrintedWithWaysOut(CapturedOutput output) throws SQLException {
        String url = "jdbc:h2:mem:" + UUID.randomUUID();
        try (Connection administrator = DriverManager.getConnection(url, "admin", "")) {
            administrator.createStatement().execute("CREATE USER app PASSWORD 'secret'");
            assertThat(start(
                            output,
                            WithHandler.class,
                            "spring.datasource.url=" + url,
                            "spring.datasource.username=app",
                            "spring.datasource.password=secret",
                            "outbox.schema.mode=liquibase"))
                    .contains("could not be created or upgraded by Liquibase as database user APP")
                    .contains("Not enough rights")
                    .contains("spring.liquibase.user and spring.liquibase.password", "outbox schema print");
        }
    }

    @Test
    void kafkaWithoutBrokersIsPrintedWithTheProperty(CapturedOutput output) {
        assertThat(start(output, WithHandler.class, database(), "outbox.kafka.event-types=order.*"))
                .contains("The properties outbox.kafka.event-types are set, but no broker is named")
                .contains("Set spring.kafka.bootstrap-servers, or outbox.kafka.bootstrap-servers");
    }

    @Test
    void rabbitWithoutABrokerIsPrintedWithTheProperty(CapturedOutput output) {
        assertThat(start(output, WithHandler.class, database(), "outbox.rabbitmq.enabled=true"))
                .contains("The properties outbox.rabbitmq.enabled are set, but no broker is named")
                .contains("Set spring.rabbitmq.host (or .addresses), or outbox.rabbitmq.uri");
    }

    @Test
    void redisWithoutAServerIsPrintedWithTheProperty(CapturedOutput output) {
        assertThat(start(output, WithHandler.class, database(), "outbox.handlers.tracking=redis"))
                .contains("There is no Redis for outbox.handlers.tracking=redis: no server is named.")
                .contains("Set spring.data.redis.host (or .url), or outbox.redis.uri");
    }

    @Test
    void aPropertyWithAWrongNameIsPrintedWithItsOriginAndTheNearestOne(CapturedOutput output) {
        assertThat(start(
                        output,
                        WithHandler.class,
                        database(),
                        "outbox.poll.intervall=2s",
                        "outbox.handler.retired=a",
                        "outbox.warn.interval=2m"))
                .contains("The outbox has no such properties:")
                .contains(
                        "outbox.poll.intervall (from \"outbox.poll.intervall\" from property source \"commandLineArgs\")")
                .contains("Replace outbox.poll.intervall by outbox.poll.interval, or remove it.")
                .contains("Replace outbox.handler.retired by outbox.handlers.retired, or remove it.")
                .contains("Remove outbox.warn.interval.");
    }

    @Test
    void settingsThatContradictEachOtherArePrintedWithTheirOriginAndWithoutAStackTrace(CapturedOutput output) {
        assertThat(start(output, WithHandler.class, database(), "outbox.cdc.enabled=true", "outbox.mode=ordered"))
                .contains("outbox.cdc.enabled is true and outbox.mode is not writer-only")
                .contains("Where these are set:")
                .contains("outbox.cdc.enabled: \"outbox.cdc.enabled\" from property source \"commandLineArgs\"")
                .contains("outbox.mode: \"outbox.mode\" from property source \"commandLineArgs\"")
                .containsSubsequence("Action:", "Set outbox.mode=writer-only.")
                .doesNotContain("at outbox.");
    }

    @Test
    void aSecretThatIsNoKeyIsNotPrinted(CapturedOutput output) {
        assertThat(start(output, WithHandler.class, database(), "outbox.rabbitmq.uri=amqp://shop:hidden word@rabbit"))
                .contains("outbox.rabbitmq.uri is no address of a RabbitMQ broker")
                .contains("outbox.rabbitmq.uri: \"outbox.rabbitmq.uri\" from property source \"commandLineArgs\"")
                .doesNotContain("hidden");
    }

    @Test
    void aWrongNameInAModuleOrAMapIsFoundToo(CapturedOutput output) {
        assertThat(start(
                        output,
                        WithHandler.class,
                        database(),
                        "outbox.kafka.topics=orders",
                        "outbox.webhook.endpoints.crm.secret=whsec_",
                        "outbox.instances.orders.tabel=orders"))
                .contains("Replace outbox.kafka.topics by outbox.kafka.topic, or remove it.")
                .contains("Replace outbox.webhook.endpoints.crm.secret by outbox.webhook.endpoints.crm.secrets")
                .contains("Replace outbox.instances.orders.tabel by outbox.instances.orders.table");
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Plain.class, Mailer.class})
    static class WithOldTable {
        @Bean
        static DataSource dataSource() {
            DataSource dataSource =
                    new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
            new JdbcTemplate(dataSource)
                    .execute("CREATE TABLE outbox_event (event_id VARCHAR(36) PRIMARY KEY, event_type VARCHAR(128))");
            return dataSource;
        }
    }

    @Test
    void anOldTableIsPrintedWithWhatItLacks(CapturedOutput output) {
        assertThat(start(output, WithOldTable.class))
                .contains("lacks the columns")
                .contains("Add what is missing with a migration: aggregate_id, aggregate_type, attempts")
                .contains("outbox/schema/h2.sql");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            excludeName = {
                "org.springframework.boot.autoconfigure.jdbc.DataSourceTransactionManagerAutoConfiguration",
                "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration",
                "org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration",
                "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration"
            })
    @Import(Mailer.class)
    static class WithoutTransactions {}

    @Test
    void aMissingTransactionManagerIsPrintedWithABeanMethod(CapturedOutput output) {
        assertThat(start(output, WithoutTransactions.class, database()))
                .contains("There is no transaction manager")
                .contains("return new JdbcTransactionManager(dataSource);");
    }

    @Configuration(proxyBeanMethods = false)
    @Import(TwoDataSources.class)
    static class TransactionsOfAnother {
        @Bean
        PlatformTransactionManager billingTransactions(@Qualifier("billing") DataSource billing) {
            return new DataSourceTransactionManager(billing);
        }
    }

    @Test
    void aTransactionManagerOfAnotherDataSourceIsPrintedWithABeanMethod(CapturedOutput output) {
        assertThat(start(output, TransactionsOfAnother.class, "outbox.data-source=orders"))
                .contains("There is no transaction manager for the data source of the outbox")
                .contains("[billingTransactions]")
                .contains("return new JdbcTransactionManager(dataSource);")
                .contains("also add @Primary", "spring.kafka.producer.transaction-id-prefix");
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Plain.class, Mailer.class})
    static class WritesTooEarly {
        @Bean
        CommandLineRunner write(OutboxWriter writer) {
            return arguments -> writer.write("order.placed", "{}");
        }
    }

    @Test
    void aWriteOutsideOfATransactionIsPrintedWithWhereToBeginOne(CapturedOutput output) {
        assertThat(start(output, WritesTooEarly.class, database()))
                .contains("No active transaction")
                .contains("Put @Transactional on the public method");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            excludeName = {
                "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration",
                "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration"
            })
    @Import(Mailer.class)
    static class TwoDataSources {
        @Bean
        DataSource orders() {
            return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID());
        }

        @Bean
        DataSource billing() {
            return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID());
        }
    }

    @Test
    void twoDataSourcesArePrintedWithTheirNames(CapturedOutput output) {
        assertThat(start(output, TwoDataSources.class))
                .contains("There are 2 data sources, [orders, billing], and none is primary")
                .contains("outbox.data-source=orders")
                .contains("@OutboxDataSource")
                .contains("outbox.instances.<name>.data-source");
    }

    static class Twins {
        @EventHandler(name = "mail")
        void first(OrderPlaced event) {}

        @EventHandler(name = "mail")
        void second(OrderPlaced event) {}
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Plain.class, Twins.class})
    static class TwoHandlers {}

    @Test
    void twoHandlersWithOneNameArePrintedWithBothMethods(CapturedOutput output) {
        assertThat(start(output, TwoHandlers.class, database()))
                .contains("Two handlers have the name 'mail'")
                .contains("Twins.first(Apps$OrderPlaced)")
                .contains("Twins.second(Apps$OrderPlaced)")
                .contains("Give each its own name");
    }

    static class WrongSignature {
        @EventHandler
        String on(OrderPlaced event) {
            return "";
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Plain.class, WrongSignature.class})
    static class WithWrongSignature {}

    @Test
    void aHandlerThatCanNotBeCalledFailsTheStartByName(CapturedOutput output) {
        assertThatThrownBy(() -> SpringApplication.run(
                        WithWrongSignature.class, "--spring.main.web-application-type=none", "--" + database()))
                .hasMessageContaining("WrongSignature.on(Apps$OrderPlaced) cannot be called: it must return void");
    }

    @Test
    void aValueOutOfRangeIsPrintedWithItsPropertyAndWhereItComesFrom(CapturedOutput output) {
        assertThat(start(output, WithHandler.class, database(), "outbox.poll.batch-size=0"))
                .contains("Invalid value '0' for configuration property 'outbox.poll.batch-size'")
                .contains("originating from '\"outbox.poll.batch-size\" from property source \"commandLineArgs\"'")
                .contains("must be positive");
    }

    @Test
    void anUnknownValueNamesTheAllowedOnes(CapturedOutput output) {
        assertThat(start(output, WithHandler.class, database(), "outbox.mode=everywhere"))
                .contains("outbox.mode")
                .contains("MULTI_NODE")
                .contains("WRITER_ONLY");
    }
}
