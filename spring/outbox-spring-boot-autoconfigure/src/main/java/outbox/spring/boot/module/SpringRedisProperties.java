package outbox.spring.boot.module;

import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.core.env.Environment;
import outbox.idempotency.redis.OutboxRedis;
import outbox.spring.boot.properties.RefusedSettingsException;

/**
 * {@code spring.data.redis.*} of an application that has no Spring Data Redis: where the one server is and as whom to log
 * in. Read by name, because Spring Boot's own class has another package in each line.
 */
final class SpringRedisProperties {
    private static final String PREFIX = "spring.data.redis";

    private final Environment environment;
    private final ObjectProvider<SslBundles> bundles;

    SpringRedisProperties(Environment environment, ObjectProvider<SslBundles> bundles) {
        this.environment = environment;
        this.bundles = bundles;
    }

    record Settings(
            @Nullable String url,
            @Nullable String host,
            @Nullable Integer port,
            @Nullable Integer database,
            @Nullable String username,
            @Nullable String password,
            @Nullable String clientName,
            @Nullable Ssl ssl,
            @Nullable Sentinel sentinel,
            @Nullable Cluster cluster) {}

    record Ssl(@Nullable Boolean enabled, @Nullable String bundle) {}

    record Sentinel(@Nullable String master) {}

    record Cluster(@Nullable List<String> nodes) {}

    /** @param details take precedence over properties, as everywhere in Spring Boot */
    ApplicationConnection<Supplier<OutboxRedis>> connection(RedisConnections.@Nullable Details details) {
        if (details != null) {
            return ofDetails(details);
        }
        Settings settings = Binder.get(environment).bindOrCreate(PREFIX, Bindable.of(Settings.class));
        if (settings.sentinel() != null || settings.cluster() != null) {
            return severalServers(PREFIX + ".sentinel or .cluster");
        }
        boolean tls = settings.ssl() != null
                && (settings.ssl().bundle() != null
                        || Boolean.TRUE.equals(settings.ssl().enabled()));
        SslBundle bundle = settings.ssl() == null || settings.ssl().bundle() == null
                ? null
                : bundles.getObject().getBundle(settings.ssl().bundle());
        if (settings.url() != null) {
            RedisURI uri = uri(settings.url());
            return ApplicationConnection.of(PREFIX + ".url", () -> open(uri, bundle, tls || uri.isSsl()));
        }
        if (settings.host() == null) {
            return ApplicationConnection.none(PREFIX, "no server is named");
        }
        RedisURI uri = address(
                settings.host(),
                settings.port() == null ? RedisURI.DEFAULT_REDIS_PORT : settings.port(),
                settings.database() == null ? 0 : settings.database(),
                settings.username(),
                settings.password());
        uri.setClientName(settings.clientName());
        return ApplicationConnection.of(PREFIX + ".host", () -> open(uri, bundle, tls));
    }

    private static ApplicationConnection<Supplier<OutboxRedis>> ofDetails(RedisConnections.Details server) {
        String origin = "the connection details bean";
        if (server.host() == null) {
            return severalServers(origin);
        }
        RedisURI uri = address(server.host(), server.port(), server.database(), server.username(), server.password());
        return ApplicationConnection.of(origin, () -> open(uri, server.sslBundle(), server.sslBundle() != null));
    }

    private static ApplicationConnection<Supplier<OutboxRedis>> severalServers(String origin) {
        return ApplicationConnection.none(
                origin, origin + " names sentinels or a cluster, which takes spring-boot-starter-data-redis");
    }

    private static RedisURI uri(String url) {
        try {
            return RedisURI.create(url);
        } catch (IllegalArgumentException e) {
            // without the cause: it quotes the address, which may hold a password
            throw new RefusedSettingsException(
                    PREFIX + ".url is no address of a Redis server", "An example is redis://redis.example.com:6379");
        }
    }

    private static RedisURI address(
            String host, int port, int database, @Nullable String username, @Nullable String password) {
        RedisURI.Builder uri = RedisURI.builder().withHost(host).withPort(port).withDatabase(database);
        if (password != null && username != null) {
            uri.withAuthentication(username, password.toCharArray());
        } else if (password != null) {
            uri.withPassword(password.toCharArray());
        }
        return uri.build();
    }

    private static OutboxRedis open(RedisURI address, @Nullable SslBundle bundle, boolean tls) {
        address.setSsl(tls);
        SslOptions.Builder ssl = SslOptions.builder();
        if (bundle != null) {
            ssl.keyManager(bundle.getManagers().getKeyManagerFactory())
                    .trustManager(bundle.getManagers().getTrustManagerFactory());
        }
        return OutboxRedis.connect(address, OutboxRedis.DEFAULT_TIMEOUT, ssl.build());
    }
}
