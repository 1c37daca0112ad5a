package outbox.spring.boot.module;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.AddressResolver;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.rabbit.connection.AbstractConnectionFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
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
import org.springframework.util.ReflectionUtils;

/**
 * Where an application has its connection to RabbitMQ: in the {@link ConnectionFactory} of {@code spring-rabbit}, which
 * Spring Boot makes of its properties, connection details and SSL bundles; without {@code spring-rabbit}, in a factory of
 * RabbitMQ's own client, or in the properties and connection details themselves. The package of the connection details
 * moved in Boot 4: one small class for each.
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

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ConnectionFactory.class)
    @ConditionalOnBean(ConnectionFactory.class)
    static class OfSpringRabbit {
        @Bean
        @Lazy
        ApplicationConnection<RabbitBroker> outboxRabbitConnection(ObjectProvider<ConnectionFactory> factories) {
            return ApplicationConnection.ofBean(
                    "Spring AMQP ConnectionFactory",
                    factories,
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

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(com.rabbitmq.client.ConnectionFactory.class)
    @ConditionalOnMissingBean(name = "outboxRabbitConnection")
    static class OfClient {
        @Bean
        @Lazy
        ApplicationConnection<RabbitBroker> outboxRabbitConnection(
                ObjectProvider<com.rabbitmq.client.ConnectionFactory> factories) {
            return ApplicationConnection.ofBean(
                    "ConnectionFactory", factories, factory -> new RabbitBroker(factory, null), "");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(org.springframework.boot.autoconfigure.amqp.RabbitConnectionDetails.class)
    @ConditionalOnBean(org.springframework.boot.autoconfigure.amqp.RabbitConnectionDetails.class)
    static class DetailsOfBoot3 {
        @Bean
        @Lazy
        Details outboxRabbitDetails(org.springframework.boot.autoconfigure.amqp.RabbitConnectionDetails details) {
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

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(org.springframework.boot.amqp.autoconfigure.RabbitConnectionDetails.class)
    @ConditionalOnBean(org.springframework.boot.amqp.autoconfigure.RabbitConnectionDetails.class)
    static class DetailsOfBoot4 {
        @Bean
        @Lazy
        Details outboxRabbitDetails(org.springframework.boot.amqp.autoconfigure.RabbitConnectionDetails details) {
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

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(name = "outboxRabbitConnection")
    static class OfProperties {
        @Bean
        @Lazy
        ApplicationConnection<RabbitBroker> outboxRabbitConnection(
                Environment environment, ObjectProvider<SslBundles> bundles, ObjectProvider<Details> details) {
            return new SpringRabbitProperties(environment, bundles).connection(details.getIfAvailable());
        }
    }
}
