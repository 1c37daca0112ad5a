package outbox.spring.boot.module;

import io.lettuce.core.RedisClient;
import java.util.function.Supplier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import outbox.idempotency.redis.OutboxRedis;
import outbox.spring.boot.OutboxAutoConfiguration;
import outbox.spring.boot.properties.RefusedSettingsException;
import outbox.spring.boot.properties.OutboxProperties;

/** The connection to Redis for whatever needs one: tracking in Redis, and the guard of routes. */
@AutoConfiguration(
        before = OutboxAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration",
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration"
        })
@ConditionalOnClass(RedisClient.class)
@EnableConfigurationProperties(OutboxProperties.class)
@Import({
    RedisConnections.OfSpringData.class,
    RedisConnections.DetailsOfBoot3.class,
    RedisConnections.DetailsOfBoot4.class,
    RedisConnections.OfProperties.class
})
public class RedisAutoConfiguration {
    @Bean
    @Lazy // only what uses Redis connects to it
    @ConditionalOnMissingBean
    OutboxRedis outboxRedis(
            OutboxProperties properties,
            ApplicationConnection<Supplier<OutboxRedis>> connection,
            Environment environment) {
        String uri = properties.getRedis().getUri();
        return connection
                .orOwn(
                        uri == null || uri.isBlank() ? null : () -> OutboxRedis.connect(uri),
                        "outbox.redis.uri",
                        chosen -> "the outbox uses Redis",
                        problem -> new RefusedSettingsException(
                                "there is no Redis for " + userOf(environment) + ": " + problem,
                                "Set spring.data.redis.host (or .url), or outbox.redis.uri for a server of the outbox"
                                        + " alone, for instance redis://localhost:6379."))
                .get();
    }

    private static String userOf(Environment environment) {
        return environment.getProperty("outbox.publish-guard.enabled", Boolean.class, false)
                ? "outbox.publish-guard.enabled=true"
                : "outbox.handlers.tracking=redis";
    }
}
