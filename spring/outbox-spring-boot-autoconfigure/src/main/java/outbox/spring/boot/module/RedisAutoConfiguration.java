package outbox.spring.boot.module;

import io.lettuce.core.RedisClient;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
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
    private static final Logger LOG = System.getLogger(RedisAutoConfiguration.class.getName());

    @Bean
    @Lazy // only what uses Redis connects to it
    @ConditionalOnMissingBean
    OutboxRedis outboxRedis(OutboxProperties properties, RedisConnection connection, Environment environment) {
        String uri = properties.getRedis().getUri();
        if (uri != null && !uri.isBlank()) {
            if (connection.open() != null) {
                LOG.log(
                        Level.INFO,
                        "the outbox uses Redis as outbox.redis.uri says; " + connection.origin() + " is not used");
            }
            return OutboxRedis.connect(uri);
        }
        if (connection.open() == null) {
            String user = environment.getProperty("outbox.publish-guard.enabled", Boolean.class, false)
                    ? "outbox.publish-guard.enabled=true"
                    : "outbox.handlers.tracking=redis";
            throw new IncompleteSettingsException(
                    "there is no Redis for " + user + ": " + connection.problem(),
                    "Set spring.data.redis.host (or .url), or outbox.redis.uri for a server of the outbox alone, for instance"
                            + " redis://localhost:6379.");
        }
        LOG.log(Level.INFO, "the outbox uses Redis as " + connection.origin() + " says");
        return connection.open().get();
    }
}
