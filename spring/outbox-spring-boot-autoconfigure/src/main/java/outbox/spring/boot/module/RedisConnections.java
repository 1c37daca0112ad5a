package outbox.spring.boot.module;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import outbox.idempotency.redis.OutboxRedis;

/**
 * Where an application has its connection to Redis: in the {@link RedisConnectionFactory} of Spring Data, which Spring Boot
 * makes of its properties, connection details and SSL bundles; without Spring Data, in the properties and connection
 * details themselves. The connection details have another name in Boot 4: one small class for each.
 */
final class RedisConnections {
    private RedisConnections() {}

    /**
     * A server that a container, or Docker Compose, names.
     *
     * @param host {@code null} if the details are those of sentinels or a cluster
     */
    record Details(
            @Nullable String host,
            int port,
            int database,
            @Nullable String username,
            @Nullable String password,
            @Nullable SslBundle sslBundle) {}

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(RedisConnectionFactory.class)
    @ConditionalOnBean(RedisConnectionFactory.class)
    static class OfSpringData {
        @Bean
        @Lazy
        ApplicationConnection<Supplier<OutboxRedis>> outboxRedisConnection(
                ObjectProvider<RedisConnectionFactory> factories) {
            return ApplicationConnection.ofBean(
                    "RedisConnectionFactory",
                    factories,
                    factory -> factory instanceof LettuceConnectionFactory lettuce
                            ? () -> OutboxRedis.sharing(lettuce::getRequiredNativeClient)
                            : null,
                    "is not one of Lettuce, and the outbox uses Lettuce");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails.class)
    @ConditionalOnBean(org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails.class)
    static class DetailsOfBoot3 {
        @Bean
        @Lazy
        Details outboxRedisDetails(org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails details) {
            var standalone = details.getStandalone();
            return new Details(
                    standalone == null ? null : standalone.getHost(),
                    standalone == null ? 0 : standalone.getPort(),
                    standalone == null ? 0 : standalone.getDatabase(),
                    details.getUsername(),
                    details.getPassword(),
                    standalone == null ? null : standalone.getSslBundle());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.class)
    @ConditionalOnBean(org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.class)
    static class DetailsOfBoot4 {
        @Bean
        @Lazy
        Details outboxRedisDetails(
                org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails details) {
            var standalone = details.getStandalone();
            return new Details(
                    standalone == null ? null : standalone.getHost(),
                    standalone == null ? 0 : standalone.getPort(),
                    standalone == null ? 0 : standalone.getDatabase(),
                    details.getUsername(),
                    details.getPassword(),
                    details.getSslBundle());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(name = "outboxRedisConnection")
    static class OfProperties {
        @Bean
        @Lazy
        ApplicationConnection<Supplier<OutboxRedis>> outboxRedisConnection(
                Environment environment, ObjectProvider<SslBundles> bundles, ObjectProvider<Details> details) {
            return new SpringRedisProperties(environment, bundles).connection(details.getIfAvailable());
        }
    }
}
