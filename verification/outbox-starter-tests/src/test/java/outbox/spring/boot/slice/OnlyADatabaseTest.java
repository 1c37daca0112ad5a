package outbox.spring.boot.slice;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.SpringVersion;
import org.springframework.jdbc.core.JdbcTemplate;
import outbox.spring.boot.test.EmbeddedServers;
import outbox.spring.boot.test.EmbeddedServers.Server;

/** On Boot 4, this application has no module of Spring Boot for Kafka, RabbitMQ or Redis, and so none of their types. */
class OnlyADatabaseTest {
    private static ApplicationContextRunner app(Class<?> servers) {
        return new ApplicationContextRunner()
                .withUserConfiguration(servers)
                .withPropertyValues(
                        "spring.flyway.enabled=false",
                        "spring.liquibase.enabled=false",
                        "spring.jpa.open-in-view=false",
                        "outbox.schema.mode=always",
                        "outbox.contracts.enabled=false",
                        "outbox.encryption.enabled=false");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EmbeddedServers(Server.POSTGRESQL)
    static class Database {}

    @Test
    void theTypesOfOtherServersAreNotNeeded() {
        app(Database.class)
                .run(context -> assertThat(
                                context.getBean(JdbcTemplate.class).queryForObject("SELECT version()", String.class))
                        .startsWith("PostgreSQL"));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EmbeddedServers({Server.POSTGRESQL, Server.KAFKA})
    static class DatabaseAndBroker {}

    @Test
    void aServerWhoseTypesAreMissingIsNamed() {
        app(DatabaseAndBroker.class).run(context -> {
            if (SpringVersion.getVersion().startsWith("6.")) {
                assertThat(context).hasNotFailed(); // Boot 3 has all types in one module
            } else {
                assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("@EmbeddedServers names KAFKA, which takes a module of Spring Boot")
                        .hasStackTraceContaining("org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails");
            }
        });
    }
}
