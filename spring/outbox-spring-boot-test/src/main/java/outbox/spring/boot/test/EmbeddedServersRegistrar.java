package outbox.spring.boot.test;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;
import outbox.spring.boot.test.EmbeddedServers.Server;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedKafka;
import outbox.testing.server.EmbeddedMariaDb;
import outbox.testing.server.EmbeddedMySql;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.EmbeddedQpid;
import outbox.testing.server.EmbeddedRedis;
import outbox.testing.server.InstalledRabbitMq;

/** Registers connection details for the servers of {@link EmbeddedServers}; the servers start when these are created. */
final class EmbeddedServersRegistrar implements ImportBeanDefinitionRegistrar {
    private static final boolean BOOT_3 =
            isPresent("org.springframework.boot.autoconfigure.jdbc.JdbcConnectionDetails");

    @Override
    public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
        Server[] named = (Server[]) Objects.requireNonNull(
                        importing.getAnnotationAttributes(EmbeddedServers.class.getName()))
                .get("value");
        Set<Server> servers = EnumSet.noneOf(Server.class);
        servers.addAll(Arrays.asList(named));
        register(registry, "Jdbc", one(servers, Server.POSTGRESQL, Server.MYSQL, Server.MARIADB));
        register(registry, "Kafka", one(servers, Server.KAFKA));
        register(registry, "Rabbit", one(servers, Server.RABBITMQ, Server.QPID));
        register(registry, "Redis", one(servers, Server.REDIS));
    }

    private static @Nullable Server one(Set<Server> servers, Server... kinds) {
        List<Server> chosen = Arrays.stream(kinds).filter(servers::contains).toList();
        if (chosen.size() > 1) {
            throw new IllegalStateException(
                    "@EmbeddedServers names " + chosen + ", and an application has one connection of that kind:"
                            + " name one of them, and connect to the others in the test itself");
        }
        return chosen.isEmpty() ? null : chosen.get(0);
    }

    private static void register(BeanDefinitionRegistry registry, String kind, @Nullable Server server) {
        if (server != null) {
            registry.registerBeanDefinition("embedded" + kind + "ConnectionDetails", definition(server));
        }
    }

    private static RootBeanDefinition definition(Server server) {
        return switch (server) {
            case POSTGRESQL -> jdbc(EmbeddedPostgres::shared);
            case MYSQL -> jdbc(EmbeddedMySql::shared);
            case MARIADB -> jdbc(EmbeddedMariaDb::shared);
            case KAFKA -> BOOT_3 ? ServersOfBoot3.kafka(EmbeddedKafka::shared) : ServersOfBoot4.kafka(EmbeddedKafka::shared);
            case REDIS -> BOOT_3 ? ServersOfBoot3.redis(EmbeddedRedis::shared) : ServersOfBoot4.redis(EmbeddedRedis::shared);
            case RABBITMQ -> rabbit(InstalledRabbitMq::shared);
            case QPID -> rabbit(EmbeddedQpid::shared);
        };
    }

    private static RootBeanDefinition jdbc(Supplier<DatabaseServer> server) {
        return BOOT_3 ? ServersOfBoot3.jdbc(server) : ServersOfBoot4.jdbc(server);
    }

    private static RootBeanDefinition rabbit(Supplier<String> uri) {
        return BOOT_3 ? ServersOfBoot3.rabbit(uri) : ServersOfBoot4.rabbit(uri);
    }

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, EmbeddedServersRegistrar.class.getClassLoader());
    }
}
