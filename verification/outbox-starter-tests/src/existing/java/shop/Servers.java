package shop;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.util.ClassUtils;
import outbox.testing.server.TestDatabase;

/** Connection details of the test's servers, like those of containers. Their types moved in Spring Boot 4. */
final class Servers {
    private Servers() {}

    static void register(ConfigurableApplicationContext context, TestDatabase database, String kafka) {
        add(
                context,
                Map.of(
                        "getJdbcUrl", database.jdbcUrl(),
                        "getUsername", database.username(),
                        "getPassword", database.password()),
                "org.springframework.boot.autoconfigure.jdbc.JdbcConnectionDetails",
                "org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails");
        add(
                context,
                Map.of("getBootstrapServers", List.of(kafka)),
                "org.springframework.boot.autoconfigure.kafka.KafkaConnectionDetails",
                "org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails");
    }

    private static void add(ConfigurableApplicationContext context, Map<String, ?> answers, String... names) {
        Class<?> type = Stream.of(names)
                .filter(name -> ClassUtils.isPresent(name, Servers.class.getClassLoader()))
                .<Class<?>>map(name -> ClassUtils.resolveClassName(name, Servers.class.getClassLoader()))
                .findFirst()
                .orElseThrow();
        register((GenericApplicationContext) context, type, answers);
    }

    private static <T> void register(GenericApplicationContext context, Class<T> type, Map<String, ?> answers) {
        InvocationHandler details = (proxy, method, args) -> switch (method.getName()) {
            case "hashCode" -> System.identityHashCode(proxy);
            case "equals" -> proxy == args[0];
            case "toString" -> "details of a container";
            default ->
                answers.containsKey(method.getName())
                        ? answers.get(method.getName())
                        : InvocationHandler.invokeDefault(proxy, method, args);
        };
        context.registerBean(
                type, () -> type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, details)));
    }
}
