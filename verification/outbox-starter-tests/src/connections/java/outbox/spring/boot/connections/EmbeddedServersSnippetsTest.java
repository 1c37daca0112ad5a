package outbox.spring.boot.connections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.TestPropertySource;
import outbox.spring.boot.test.EmbeddedServers;
import outbox.spring.boot.test.EmbeddedServers.Server;
import outbox.testing.server.EmbeddedKafka;

/** What a user's test with servers looks like: one annotation, and no property about a connection. */
@ContextConfiguration(classes = Shop.Application.class)
@TestPropertySource(properties = {"outbox.schema.mode=always", "outbox.kafka.topic=embedded-servers"})
// snippet: servers
@SpringBootTest
@EmbeddedServers({Server.POSTGRESQL, Server.KAFKA, Server.REDIS, Server.QPID})
class EmbeddedServersSnippetsTest {
    @Autowired
    JdbcTemplate jdbc; // on a new PostgreSQL database
    // end

    @Autowired
    ApplicationContext application;

    @Test
    void anEventGoesFromTheDatabaseToTheBroker() {
        assertThat(jdbc.queryForObject("SELECT version()", String.class)).startsWith("PostgreSQL");
        Shop.write(application);
        Shop.awaitDone(application);
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        EmbeddedKafka.shared(),
                        "group.id",
                        UUID.randomUUID().toString(),
                        "auto.offset.reset",
                        "earliest"),
                new StringDeserializer(),
                new StringDeserializer())) {
            consumer.subscribe(List.of("embedded-servers"));
            await().until(() -> !consumer.poll(Duration.ofMillis(200)).isEmpty());
        }
    }

    @Test
    void theApplicationsOwnTemplatesAreConnectedToo(
            @Autowired KafkaTemplate<Object, Object> kafka,
            @Autowired RabbitTemplate rabbit,
            @Autowired StringRedisTemplate redis) {
        assertThat(kafka.partitionsFor("templates-" + UUID.randomUUID())).isNotEmpty();
        assertThat(rabbit.<Boolean>execute(channel -> channel.isOpen())).isTrue();
        String key = "outbox:" + UUID.randomUUID();
        redis.opsForValue().set(key, "there");
        assertThat(redis.opsForValue().get(key)).isEqualTo("there");
    }

    // snippet: configuration
    @TestConfiguration
    @EmbeddedServers(Server.POSTGRESQL)
    static class Servers {}
    // end

    @Test
    void aConfigurationCanHaveItAndEachContextHasADatabaseOfItsOwn() {
        String url = jdbc.queryForObject("SELECT current_database()", String.class);
        try (ConfigurableApplicationContext other = new SpringApplication(Shop.Application.class, Servers.class)
                .run("--spring.main.web-application-type=none", "--outbox.schema.mode=always")) {
            JdbcTemplate its = other.getBean(JdbcTemplate.class);
            assertThat(its.queryForObject("SELECT current_database()", String.class))
                    .isNotEqualTo(url);
        }
    }

    @EmbeddedServers({Server.POSTGRESQL, Server.MARIADB})
    static class TwoDatabases {}

    @Test
    void twoDatabasesAreRefused() {
        assertThatThrownBy(() -> new SpringApplication(Shop.Application.class, TwoDatabases.class)
                        .run("--spring.main.web-application-type=none"))
                .hasStackTraceContaining("@EmbeddedServers names [POSTGRESQL, MARIADB]");
    }
}
