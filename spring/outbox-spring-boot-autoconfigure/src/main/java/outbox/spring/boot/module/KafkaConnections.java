package outbox.spring.boot.module;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.kafka.core.ProducerFactory;

/** The Kafka connection of an application: the {@link ProducerFactory} of {@code spring-kafka}, or what Spring Boot would make it of. */
final class KafkaConnections {
    private KafkaConnections() {}

    /** Brokers that a container, or Docker Compose, names. */
    record Details(
            List<String> addresses,
            @Nullable SslBundle sslBundle,
            @Nullable String securityProtocol) {}

    static ApplicationConnection<KafkaBrokers> of(
            ConfigurableListableBeanFactory beans, SpringKafkaProperties properties) {
        return new ConnectionSources<KafkaBrokers, Details>(beans)
                .library("org.springframework.kafka.core.ProducerFactory", () -> SpringKafka.connection(beans))
                .details(
                        "org.springframework.boot.autoconfigure.kafka.KafkaConnectionDetails",
                        () -> Boot3.details(beans))
                .details(
                        "org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails",
                        () -> Boot4.details(beans))
                .or(properties::connection);
    }

    private static final class SpringKafka {
        @SuppressWarnings("rawtypes")
        static ApplicationConnection<KafkaBrokers> connection(ListableBeanFactory beans) {
            ObjectProvider<ProducerFactory> factories = beans.getBeanProvider(ProducerFactory.class);
            return ApplicationConnection.ofBean(
                    "ProducerFactory", factories, SpringKafka::brokersOf, "does not tell its bootstrap.servers");
        }

        private static @Nullable KafkaBrokers brokersOf(ProducerFactory<?, ?> factory) {
            try {
                return KafkaBrokers.of(factory.getConfigurationProperties(), factory.transactionCapable());
            } catch (UnsupportedOperationException e) {
                return null; // as the interface does by default
            }
        }
    }

    private static final class Boot3 {
        static Details details(ListableBeanFactory beans) {
            var producer = beans.getBean(org.springframework.boot.autoconfigure.kafka.KafkaConnectionDetails.class)
                    .getProducer();
            return new Details(producer.getBootstrapServers(), producer.getSslBundle(), producer.getSecurityProtocol());
        }
    }

    private static final class Boot4 {
        static Details details(ListableBeanFactory beans) {
            var producer = beans.getBean(org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails.class)
                    .getProducer();
            return new Details(producer.getBootstrapServers(), producer.getSslBundle(), producer.getSecurityProtocol());
        }
    }
}
