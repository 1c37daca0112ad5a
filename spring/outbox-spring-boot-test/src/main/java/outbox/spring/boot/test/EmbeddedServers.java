package outbox.spring.boot.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;

/**
 * Starts servers of {@code outbox-testing} and connects the application to them, as {@code @ServiceConnection} does with
 * containers: by beans for connection details, which take precedence over {@code spring.datasource.url}, {@code
 * spring.kafka.bootstrap-servers}, {@code spring.rabbitmq.*} and {@code spring.data.redis.*}.
 *
 * <p>Use it on a test class, or on a {@code @TestConfiguration} that tests and a development-time {@code main} method
 * share. A server is started once per JVM. Each application context has an empty database of its own; brokers and Redis
 * are shared.
 *
 * <pre>{@code
 * @SpringBootTest
 * @EmbeddedServers({Server.POSTGRESQL, Server.KAFKA})
 * class OrdersTest {}
 * }</pre>
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Import(EmbeddedServersRegistrar.class)
public @interface EmbeddedServers {
    /** The servers to start; at most one of each kind. */
    Server[] value();

    /** A server. Its artifacts are those of the page about tests, in test scope. */
    enum Server {
        /** {@link outbox.testing.server.EmbeddedPostgres}. */
        POSTGRESQL,
        /** {@link outbox.testing.server.EmbeddedMySql}. */
        MYSQL,
        /** {@link outbox.testing.server.EmbeddedMariaDb}. */
        MARIADB,
        /** {@link outbox.testing.server.EmbeddedKafka}. */
        KAFKA,
        /** {@link outbox.testing.server.EmbeddedRedis}. */
        REDIS,
        /** {@link outbox.testing.server.InstalledRabbitMq}: the program of the system. */
        RABBITMQ,
        /** {@link outbox.testing.server.EmbeddedQpid}: AMQP 0-9-1 in the JVM, which is not RabbitMQ. */
        QPID
    }
}
