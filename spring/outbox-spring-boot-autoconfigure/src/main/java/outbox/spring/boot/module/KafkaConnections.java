package outbox.spring.boot.module;

import java.util.List;
import org.jspecify.annotations.Nullable;
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
import org.springframework.core.io.ResourceLoader;
import org.springframework.kafka.core.ProducerFactory;

/**
 * Where an application has its Kafka connection: in the {@link ProducerFactory} of {@code spring-kafka}, which Spring Boot
 * makes of its properties, connection details and SSL bundles; without {@code spring-kafka}, in the properties and
 * connection details themselves. The package of the connection details moved in Boot 4: one small class for each.
 */
final class KafkaConnections {
    private KafkaConnections() {}

    /** Brokers that a container, or Docker Compose, names. */
    record Details(
            List<String> addresses,
            @Nullable SslBundle sslBundle,
            @Nullable String securityProtocol) {}

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ProducerFactory.class)
    @ConditionalOnBean(ProducerFactory.class)
    static class OfProducerFactory {
        @Bean
        @Lazy
        ApplicationConnection<KafkaBrokers> outboxKafkaConnection(ObjectProvider<ProducerFactory<?, ?>> factories) {
            return ApplicationConnection.ofBean(
                    "ProducerFactory", factories, OfProducerFactory::brokersOf, "does not tell its bootstrap.servers");
        }

        private static @Nullable KafkaBrokers brokersOf(ProducerFactory<?, ?> factory) {
            try {
                return KafkaBrokers.of(factory.getConfigurationProperties(), factory.transactionCapable());
            } catch (UnsupportedOperationException e) {
                return null; // as the interface does by default
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(org.springframework.boot.autoconfigure.kafka.KafkaConnectionDetails.class)
    @ConditionalOnBean(org.springframework.boot.autoconfigure.kafka.KafkaConnectionDetails.class)
    static class DetailsOfBoot3 {
        @Bean
        @Lazy
        Details outboxKafkaDetails(org.springframework.boot.autoconfigure.kafka.KafkaConnectionDetails details) {
            var producer = details.getProducer();
            return new Details(producer.getBootstrapServers(), producer.getSslBundle(), producer.getSecurityProtocol());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails.class)
    @ConditionalOnBean(org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails.class)
    static class DetailsOfBoot4 {
        @Bean
        @Lazy
        Details outboxKafkaDetails(org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails details) {
            var producer = details.getProducer();
            return new Details(producer.getBootstrapServers(), producer.getSslBundle(), producer.getSecurityProtocol());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(name = "outboxKafkaConnection")
    static class OfProperties {
        @Bean
        @Lazy
        ApplicationConnection<KafkaBrokers> outboxKafkaConnection(
                Environment environment,
                ResourceLoader resources,
                ObjectProvider<SslBundles> bundles,
                ObjectProvider<Details> details) {
            return new SpringKafkaProperties(environment, resources, bundles).connection(details.getIfAvailable());
        }
    }
}
