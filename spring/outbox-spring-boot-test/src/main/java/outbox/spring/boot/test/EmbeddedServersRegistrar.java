package outbox.spring.boot.test;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;
import outbox.spring.boot.test.EmbeddedServers.Server;

/** Registers connection details for the servers of {@link EmbeddedServers}; a server starts when its details are created. */
final class EmbeddedServersRegistrar implements ImportBeanDefinitionRegistrar {
    private static final boolean BOOT_3 =
            isPresent("org.springframework.boot.autoconfigure.jdbc.JdbcConnectionDetails");

    @Override
    public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
        List<Server> servers = Arrays.asList(
                (Server[]) Objects.requireNonNull(importing.getAnnotationAttributes(EmbeddedServers.class.getName()))
                        .get("value"));
        register(
                registry,
                servers,
                "Jdbc",
                "org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails",
                Server.POSTGRESQL,
                Server.MYSQL,
                Server.MARIADB);
        register(
                registry,
                servers,
                "Kafka",
                "org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails",
                Server.KAFKA);
        register(
                registry,
                servers,
                "Rabbit",
                "org.springframework.boot.amqp.autoconfigure.RabbitConnectionDetails",
                Server.RABBITMQ,
                Server.QPID);
        register(
                registry,
                servers,
                "Redis",
                "org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails",
                Server.REDIS);
    }

    /**
     * @param kind name of the nested class of {@link ServersOfBoot3} and {@link ServersOfBoot4}
     * @param typeInBoot4 of the details, which is in a module of its own there
     */
    private static void register(
            BeanDefinitionRegistry registry, List<Server> servers, String kind, String typeInBoot4, Server... kinds) {
        List<Server> named = servers.stream()
                .filter(Arrays.asList(kinds)::contains)
                .distinct()
                .toList();
        if (named.isEmpty()) {
            return;
        }
        if (named.size() > 1) {
            throw new IllegalStateException("@EmbeddedServers names " + named
                    + ", and an application has one connection of that kind: name one of them, and connect to the others"
                    + " in the test itself");
        }
        if (!BOOT_3 && !isPresent(typeInBoot4)) {
            throw new IllegalStateException("@EmbeddedServers names " + named.get(0)
                    + ", which takes a module of Spring" + " Boot: add the one with " + typeInBoot4);
        }
        Class<?> all = BOOT_3 ? ServersOfBoot3.class : ServersOfBoot4.class;
        RootBeanDefinition details = new RootBeanDefinition(all.getName() + "$" + kind);
        details.setFactoryMethodName("of"); // unlike a supplier, it works ahead of time
        details.getConstructorArgumentValues().addIndexedArgumentValue(0, named.get(0));
        registry.registerBeanDefinition("embeddedServers" + kind, details);
    }

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, EmbeddedServersRegistrar.class.getClassLoader());
    }
}
