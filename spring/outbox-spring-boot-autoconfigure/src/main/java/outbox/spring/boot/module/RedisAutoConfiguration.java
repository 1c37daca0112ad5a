package outbox.spring.boot.module;

import io.lettuce.core.RedisClient;
import java.util.function.Supplier;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import outbox.idempotency.redis.OutboxRedis;
import outbox.spring.boot.OutboxAutoConfiguration;
import outbox.spring.boot.properties.OutboxProperties;
import outbox.spring.boot.properties.RefusedSettingsException;

/** The connection to Redis for whatever needs one: tracking in Redis, and the guard of routes. */
@AutoConfiguration(
        before = OutboxAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration",
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration"
        })
@ConditionalOnClass(RedisClient.class)
@EnableConfigurationProperties(OutboxProperties.class)
public class RedisAutoConfiguration {
    @Bean
    @Lazy // only what uses Redis connects to it
    @ConditionalOnMissingBean
    OutboxRedis outboxRedis(
            OutboxProperties properties,
            ConfigurableListableBeanFactory beans,
            Environment environment,
            ObjectProvider<SslBundles> bundles) {
        ApplicationConnection<Supplier<OutboxRedis>> connection =
                RedisConnections.of(beans, new SpringRedisProperties(environment, bundles));
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
