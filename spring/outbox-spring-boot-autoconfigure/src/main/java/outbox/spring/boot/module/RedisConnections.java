package outbox.spring.boot.module;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import outbox.idempotency.redis.OutboxRedis;

/** The connection of an application to Redis: the {@link RedisConnectionFactory} of Spring Data, or what Spring Boot would make it of. */
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

    static ApplicationConnection<Supplier<OutboxRedis>> of(
            ConfigurableListableBeanFactory beans, SpringRedisProperties properties) {
        return new ConnectionSources<Supplier<OutboxRedis>, Details>(beans)
                .library(
                        "org.springframework.data.redis.connection.RedisConnectionFactory",
                        () -> SpringData.connection(beans))
                .details(
                        "org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails",
                        () -> Boot3.details(beans))
                .details(
                        "org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails",
                        () -> Boot4.details(beans))
                .or(properties::connection);
    }

    private static final class SpringData {
        static ApplicationConnection<Supplier<OutboxRedis>> connection(ListableBeanFactory beans) {
            return ApplicationConnection.ofBean(
                    "RedisConnectionFactory",
                    beans.getBeanProvider(RedisConnectionFactory.class),
                    factory -> factory instanceof LettuceConnectionFactory lettuce
                            ? () -> OutboxRedis.sharing(lettuce::getRequiredNativeClient)
                            : null,
                    "is not one of Lettuce, and the outbox uses Lettuce");
        }
    }

    private static final class Boot3 {
        static Details details(ListableBeanFactory beans) {
            var details = beans.getBean(org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails.class);
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

    private static final class Boot4 {
        static Details details(ListableBeanFactory beans) {
            var details =
                    beans.getBean(org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.class);
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
}
