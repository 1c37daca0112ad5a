package outbox.spring.boot.connections;

import static org.awaitility.Awaitility.await;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.ApplicationContextAssertProvider;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.ClassUtils;
import outbox.OutboxWriter;

/** An application that has Spring for Kafka, RabbitMQ and Redis already, and got the outbox. */
final class Shop {
    static {
        Awaitility.setDefaultTimeout(Duration.ofSeconds(60)); // a busy machine is no failure
    }

    /** Hides the libraries, so that only the properties are left. */
    static final ClassLoader WITHOUT_SPRING_LIBRARIES = new FilteredClassLoader(
            "org.springframework.kafka",
            "org.springframework.amqp",
            "org.springframework.data.redis",
            "org.springframework.mail");

    private Shop() {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    static ApplicationContextRunner shop(String... properties) {
        return new ApplicationContextRunner()
                .withUserConfiguration(Application.class)
                .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID())
                .withPropertyValues(properties);
    }

    static void write(ApplicationContext context) {
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                .executeWithoutResult(
                        status -> context.getBean(OutboxWriter.class).write("order.placed", "{\"order\":1}"));
    }

    static void awaitDone(ApplicationContext context) {
        await().until(() -> Integer.valueOf(1)
                .equals(context.getBean(JdbcTemplate.class)
                        .queryForObject("SELECT COUNT(*) FROM outbox_event WHERE status = 1", Integer.class)));
    }

    /** Why an application did not start. */
    static Throwable failureOf(ApplicationContextAssertProvider<?> context) {
        return NestedExceptionUtils.getMostSpecificCause(Objects.requireNonNull(context.getStartupFailure()));
    }

    /** Adds a bean of a type that has another name in Spring Boot 4, as a container or Docker Compose would. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    static ApplicationContextRunner withDetails(
            ApplicationContextRunner runner, Class<?> details, Map<String, ?> answers) {
        Supplier<Object> bean = () -> answering(details, answers);
        return runner.withBean((Class) details, (Supplier) bean);
    }

    static Class<?> either(String... names) {
        return Stream.of(names)
                .filter(name -> ClassUtils.isPresent(name, Shop.class.getClassLoader()))
                .<Class<?>>map(name -> ClassUtils.resolveClassName(name, Shop.class.getClassLoader()))
                .findFirst()
                .orElseThrow();
    }

    /** @param answers by method name; the others are the defaults of the interface */
    static Object answering(Class<?> type, Map<String, ?> answers) {
        return Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> switch (method.getName()) {
                    case "hashCode" -> 1;
                    case "equals" -> proxy == args[0];
                    case "toString" -> "details of a container";
                    default ->
                        answers.containsKey(method.getName())
                                ? answers.get(method.getName())
                                : InvocationHandler.invokeDefault(proxy, method, args);
                });
    }

    /** Log lines of the starter's modules while something runs. */
    static List<String> logged(Runnable work) {
        return logged("outbox.spring.boot.module", work);
    }

    static List<String> logged(String name, Runnable work) {
        Logger logger = Logger.getLogger(name);
        List<String> lines = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                lines.add(line.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        logger.addHandler(handler);
        try {
            work.run();
        } finally {
            logger.removeHandler(handler);
        }
        return lines;
    }
}
