package outbox.spring.boot.module;

import io.lettuce.core.RedisClient;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import outbox.idempotency.redis.OutboxRedis;
import outbox.idempotency.redis.RedisDispatchGuard;
import outbox.spring.boot.EventRouteCustomizer;
import outbox.spring.boot.OutboxAutoConfiguration;
import outbox.spring.boot.properties.PropertyGroup;

/** Routes record sent events in Redis, if enabled and Lettuce is present. */
@AutoConfiguration(before = OutboxAutoConfiguration.class)
@ConditionalOnClass(RedisClient.class)
@ConditionalOnProperty(prefix = "outbox.publish-guard", name = "enabled")
@EnableConfigurationProperties(PublishGuardProperties.class)
public class PublishGuardAutoConfiguration {
    @Bean
    @Lazy // only needed by a delivering outbox
    @ConditionalOnMissingBean
    RedisDispatchGuard outboxDispatchGuard(OutboxRedis redis, PublishGuardProperties properties) {
        return new PropertyGroup("outbox.publish-guard")
                .build(() -> new RedisDispatchGuard(redis.commands(), properties.getTtl(), properties.getClaimTime()));
    }

    @Bean
    @Lazy
    EventRouteCustomizer outboxRouteGuard(RedisDispatchGuard guard) {
        return route -> route.around(listener -> guard.guard(route.name(), listener));
    }
}
