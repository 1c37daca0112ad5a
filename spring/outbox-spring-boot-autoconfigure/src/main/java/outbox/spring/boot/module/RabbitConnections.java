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
    record Broker(
            @Nullable String username,
            @Nullable String password,
            @Nullable String virtualHost,
            List<Address> addresses,
            @Nullable SslBundle sslBundle) {}

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ConnectionFactory.class)
    @ConditionalOnBean(ConnectionFactory.class)
    static class OfSpringRabbit {
        private static final String ORIGIN = "the ConnectionFactory bean of Spring AMQP";

        @Bean
        @Lazy
        RabbitConnection outboxRabbitConnection(ObjectProvider<ConnectionFactory> factories) {
            ConnectionFactory factory = factories.getIfUnique();
            if (factory == null) {
                return RabbitConnection.none(
                        ORIGIN, "there are several ConnectionFactory beans of Spring AMQP and none is @Primary");
            }
            return factory instanceof AbstractConnectionFactory known
                    ? RabbitConnection.of(ORIGIN, known.getRabbitConnectionFactory(), addressesOf(known))
                    : RabbitConnection.none(
                            ORIGIN,
                            "the ConnectionFactory bean is a "
                                    + factory.getClass().getName() + ", which has no single broker");
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
    @ConditionalOnMissingBean(RabbitConnection.class)
    static class OfClient {
        private static final String ORIGIN = "the ConnectionFactory bean";

        @Bean
        @Lazy
        RabbitConnection outboxRabbitConnection(ObjectProvider<com.rabbitmq.client.ConnectionFactory> factories) {
            com.rabbitmq.client.ConnectionFactory factory = factories.getIfUnique();
            return factory == null
                    ? RabbitConnection.none(ORIGIN, "there are several ConnectionFactory beans and none is @Primary")
                    : RabbitConnection.of(ORIGIN, factory, null);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(org.springframework.boot.autoconfigure.amqp.RabbitConnectionDetails.class)
    @ConditionalOnBean(org.springframework.boot.autoconfigure.amqp.RabbitConnectionDetails.class)
    static class DetailsOfBoot3 {
        @Bean
        @Lazy
        Broker outboxRabbitBroker(org.springframework.boot.autoconfigure.amqp.RabbitConnectionDetails details) {
            return new Broker(
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
        Broker outboxRabbitBroker(org.springframework.boot.amqp.autoconfigure.RabbitConnectionDetails details) {
            return new Broker(
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
    @ConditionalOnMissingBean(RabbitConnection.class)
    static class OfProperties {
        @Bean
        @Lazy
        RabbitConnection outboxRabbitConnection(
                Environment environment, ObjectProvider<SslBundles> bundles, ObjectProvider<Broker> details) {
            return new SpringRabbitProperties(environment, bundles).connection(details.getIfAvailable());
        }
    }
}
