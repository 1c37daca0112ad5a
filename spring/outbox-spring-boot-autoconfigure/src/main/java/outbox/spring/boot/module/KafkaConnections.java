package outbox.spring.boot.module;

import java.util.List;
import java.util.Map;
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
    record Brokers(
            List<String> addresses,
            @Nullable SslBundle sslBundle,
            @Nullable String securityProtocol) {}

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ProducerFactory.class)
    @ConditionalOnBean(ProducerFactory.class)
    static class OfProducerFactory {
        @Bean
        @Lazy
        KafkaConnection outboxKafkaConnection(ObjectProvider<ProducerFactory<?, ?>> factories) {
            ProducerFactory<?, ?> factory = factories.getIfUnique();
            if (factory == null) {
                return new KafkaConnection(
                        "the ProducerFactory beans",
                        Map.of(),
                        "there are several ProducerFactory beans and none is @Primary");
            }
            return new KafkaConnection(
                    "the ProducerFactory bean",
                    settingsOf(factory),
                    "the ProducerFactory bean, a " + factory.getClass().getName()
                            + ", does not tell its bootstrap.servers");
        }

        private static Map<String, Object> settingsOf(ProducerFactory<?, ?> factory) {
            try {
                return factory.getConfigurationProperties();
            } catch (UnsupportedOperationException e) {
                return Map.of(); // as the interface does by default
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(org.springframework.boot.autoconfigure.kafka.KafkaConnectionDetails.class)
    @ConditionalOnBean(org.springframework.boot.autoconfigure.kafka.KafkaConnectionDetails.class)
    static class DetailsOfBoot3 {
        @Bean
        @Lazy
        Brokers outboxKafkaBrokers(org.springframework.boot.autoconfigure.kafka.KafkaConnectionDetails details) {
            var producer = details.getProducer();
            return new Brokers(producer.getBootstrapServers(), producer.getSslBundle(), producer.getSecurityProtocol());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails.class)
    @ConditionalOnBean(org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails.class)
    static class DetailsOfBoot4 {
        @Bean
        @Lazy
        Brokers outboxKafkaBrokers(org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails details) {
            var producer = details.getProducer();
            return new Brokers(producer.getBootstrapServers(), producer.getSslBundle(), producer.getSecurityProtocol());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(KafkaConnection.class)
    static class OfProperties {
        @Bean
        @Lazy
        KafkaConnection outboxKafkaConnection(
                Environment environment,
                ResourceLoader resources,
                ObjectProvider<SslBundles> bundles,
                ObjectProvider<Brokers> details) {
            return new SpringKafkaProperties(environment, resources, bundles).connection(details.getIfAvailable());
        }
    }
}
