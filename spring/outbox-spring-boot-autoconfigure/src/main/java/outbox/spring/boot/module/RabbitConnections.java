package outbox.spring.boot.module;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.AddressResolver;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.rabbit.connection.AbstractConnectionFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.util.ReflectionUtils;

/**
 * The connection of an application to RabbitMQ: the {@link ConnectionFactory} of {@code spring-rabbit}, or the one of
 * RabbitMQ's own client, or what Spring Boot would make the first of.
 */
final class RabbitConnections {
    private RabbitConnections() {}

    /** A broker that a container, or Docker Compose, names. */
    record Details(
            @Nullable String username,
            @Nullable String password,
            @Nullable String virtualHost,
            List<Address> addresses,
            @Nullable SslBundle sslBundle) {}

    static ApplicationConnection<RabbitBroker> of(
            ConfigurableListableBeanFactory beans, SpringRabbitProperties properties) {
        return new ConnectionSources<RabbitBroker, Details>(beans)
                .library(
                        "org.springframework.amqp.rabbit.connection.ConnectionFactory",
                        () -> SpringRabbit.connection(beans))
                .library(
                        "com.rabbitmq.client.ConnectionFactory",
                        () -> ApplicationConnection.ofBean(
                                "ConnectionFactory",
                                beans.getBeanProvider(com.rabbitmq.client.ConnectionFactory.class),
                                factory -> new RabbitBroker(factory, null),
                                ""))
                .details(
                        "org.springframework.boot.autoconfigure.amqp.RabbitConnectionDetails",
                        () -> Boot3.details(beans))
                .details(
                        "org.springframework.boot.amqp.autoconfigure.RabbitConnectionDetails",
                        () -> Boot4.details(beans))
                .or(properties::connection);
    }

    private static final class SpringRabbit {
        static ApplicationConnection<RabbitBroker> connection(ListableBeanFactory beans) {
            return ApplicationConnection.ofBean(
                    "Spring AMQP ConnectionFactory",
                    beans.getBeanProvider(ConnectionFactory.class),
                    factory -> factory instanceof AbstractConnectionFactory known
                            ? new RabbitBroker(known.getRabbitConnectionFactory(), addressesOf(known))
                            : null,
                    "has no single broker");
        }

        /** Spring AMQP keeps them beside the client's factory, and shows them to subclasses only. */
        private static @Nullable AddressResolver addressesOf(AbstractConnectionFactory factory) {
            Method getter = Objects.requireNonNull(
                    ReflectionUtils.findMethod(AbstractConnectionFactory.class, "getAddresses"), "getAddresses");
            ReflectionUtils.makeAccessible(getter);
            return addresses(getter, factory) == null ? null : () -> Objects.requireNonNull(addresses(getter, factory));
        }

        @SuppressWarnings("unchecked")
        private static @Nullable List<Address> addresses(Method getter, AbstractConnectionFactory factory) {
            return (List<Address>) ReflectionUtils.invokeMethod(getter, factory);
        }
    }

    private static final class Boot3 {
        static Details details(ListableBeanFactory beans) {
            var details = beans.getBean(org.springframework.boot.autoconfigure.amqp.RabbitConnectionDetails.class);
            return new Details(
                    details.getUsername(),
                    details.getPassword(),
                    details.getVirtualHost(),
                    details.getAddresses().stream()
                            .map(address -> new Address(address.host(), address.port()))
                            .toList(),
                    details.getSslBundle());
        }
    }

    private static final class Boot4 {
        static Details details(ListableBeanFactory beans) {
            var details = beans.getBean(org.springframework.boot.amqp.autoconfigure.RabbitConnectionDetails.class);
            return new Details(
                    details.getUsername(),
                    details.getPassword(),
                    details.getVirtualHost(),
                    details.getAddresses().stream()
                            .map(address -> new Address(address.host(), address.port()))
                            .toList(),
                    details.getSslBundle());
        }
    }
}
