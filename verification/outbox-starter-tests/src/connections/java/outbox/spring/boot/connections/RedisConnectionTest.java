package outbox.spring.boot.connections;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.spring.boot.connections.Shop.awaitDone;
import static outbox.spring.boot.connections.Shop.shop;
import static outbox.spring.boot.connections.Shop.write;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.jdbc.core.JdbcTemplate;
import outbox.domain.handler.EventRoute;
import outbox.testing.server.EmbeddedRedis;

/** The guard of routes and the progress of handlers use the Redis that the application has configured for itself. */
class RedisConnectionTest {
    private static final int PORT = Integer.parseInt(
            EmbeddedRedis.shared().substring(EmbeddedRedis.shared().lastIndexOf(':') + 1));

    private final String route = "audit-" + UUID.randomUUID();

    private ApplicationContextRunner guarded(String... properties) {
        return shop("outbox.publish-guard.enabled=true")
                .withPropertyValues(properties)
                .withBean(EventRoute.class, () -> EventRoute.to(route, event -> {}));
    }

    private static ApplicationContextRunner without(boolean springData, ApplicationContextRunner runner) {
        return springData ? runner : runner.withClassLoader(Shop.WITHOUT_SPRING_LIBRARIES);
    }

    private void remembers(ApplicationContextRunner runner, int database) {
        runner.run(context -> {
            write(context);
            awaitDone(context);
            assertThat(keys(database)).anyMatch(key -> key.contains(route));
        });
    }

    private static List<String> keys(int database) {
        RedisClient client = RedisClient.create(EmbeddedRedis.shared() + "/" + database);
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            return connection.sync().keys("*");
        } finally {
            client.shutdown();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void springsPropertiesAreEnough(boolean springData) {
        List<String> lines = Shop.logged(() -> remembers(
                without(
                        springData,
                        guarded(
                                "spring.data.redis.host=127.0.0.1",
                                "spring.data.redis.port=" + PORT,
                                "spring.data.redis.database=3")),
                3));
        assertThat(lines)
                .containsExactly("the outbox uses Redis, as "
                        + (springData ? "the RedisConnectionFactory bean" : "spring.data.redis.host") + " says");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void springsUrlIsEnough(boolean springData) {
        remembers(without(springData, guarded("spring.data.redis.url=" + EmbeddedRedis.shared() + "/2")), 2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void connectionDetailsTakePrecedenceOverProperties(boolean springData) throws Exception {
        Class<?> details = Shop.either(
                "org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails",
                "org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails");
        Object standalone = Class.forName(details.getName() + "$Standalone")
                .getMethod("of", String.class, int.class)
                .invoke(null, "127.0.0.1", PORT);
        remembers(
                Shop.withDetails(
                        without(springData, guarded("spring.data.redis.port=1")),
                        details,
                        Map.of("getStandalone", standalone)),
                0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anSslBundleIsUsed(boolean springData) throws Exception {
        try (TlsTunnel tunnel = TlsTunnel.to(PORT)) {
            remembers(
                    without(springData, guarded(TlsTunnel.bundle("redis")))
                            .withPropertyValues(
                                    "spring.data.redis.host=127.0.0.1",
                                    "spring.data.redis.port=" + tunnel.port(),
                                    "spring.data.redis.ssl.bundle=redis"),
                    0);
            assertThat(tunnel.handshakes()).isPositive();
        }
    }

    /** The client of Spring Data is another one after a restart. */
    @Test
    void aContextThatIsStoppedAndStartedAgainGoesOnAndLeavesTheApplicationsRedisAlone() {
        guarded("spring.data.redis.port=" + PORT, "spring.data.redis.host=127.0.0.1")
                .run(context -> {
                    write(context);
                    awaitDone(context);
                    ConfigurableApplicationContext application = context.getSourceApplicationContext();
                    application.stop();
                    application.start();
                    context.getBean(JdbcTemplate.class).update("DELETE FROM outbox_event");
                    write(context);
                    awaitDone(context);
                    assertThat(context.getBean(StringRedisTemplate.class).hasKey("nothing"))
                            .isFalse();
                });
    }

    @Test
    void progressOfHandlersUsesTheSameConnection() {
        List<String> lines = Shop.logged(
                () -> guarded("spring.data.redis.url=" + EmbeddedRedis.shared(), "outbox.handlers.tracking=redis")
                        .withBean("other", EventRoute.class, () -> EventRoute.to("other", event -> {}))
                        .run(context -> {
                            write(context);
                            awaitDone(context);
                        }));
        assertThat(lines).containsExactly("the outbox uses Redis, as the RedisConnectionFactory bean says");
    }

    @Test
    void aServerOfTheOutboxAloneWinsAndThatIsLogged() {
        List<String> lines = Shop.logged(
                () -> remembers(guarded("spring.data.redis.port=1", "outbox.redis.uri=" + EmbeddedRedis.shared()), 0));
        assertThat(lines)
                .containsExactly(
                        "the outbox uses Redis, as outbox.redis.uri says; the RedisConnectionFactory bean is not used");
    }

    @Test
    void aFactoryThatIsNotLettuceIsRefused() {
        guarded()
                .withBean(RedisConnectionFactory.class, () ->
                        (RedisConnectionFactory) Shop.answering(RedisConnectionFactory.class, Map.of()))
                .run(context -> assertThat(Shop.failureOf(context))
                        .hasMessageContaining("the outbox uses Lettuce")
                        .hasMessageContaining("outbox.redis.uri"));
    }

    @Test
    void withoutAnyServerTheStartFails() {
        without(false, guarded())
                .run(context -> assertThat(Shop.failureOf(context))
                        .hasMessageContaining("there is no Redis for outbox.publish-guard.enabled=true")
                        .hasMessageContaining("Set spring.data.redis.host"));
        without(false, guarded("spring.data.redis.cluster.nodes=a:1,b:2"))
                .run(context ->
                        assertThat(Shop.failureOf(context)).hasMessageContaining("spring-boot-starter-data-redis"));
    }
}
