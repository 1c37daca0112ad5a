package outbox.spring.boot.module;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import outbox.domain.handler.EventRoute;
import outbox.kafka.KafkaPublisher;
import outbox.kafka.KafkaPublisherBuilder;
import outbox.spring.boot.OutboxAutoConfiguration;

/** Events to Kafka, where {@code outbox-kafka} is there and brokers are named. */
@AutoConfiguration(before = OutboxAutoConfiguration.class)
@ConditionalOnClass(KafkaPublisher.class)
@ConditionalOnProperty(prefix = "outbox.kafka", name = "bootstrap-servers")
@EnableConfigurationProperties(KafkaRouteProperties.class)
public class KafkaRouteAutoConfiguration {
    @Bean
    @Lazy // only an outbox that delivers needs it
    @ConditionalOnMissingBean
    KafkaPublisher outboxKafkaPublisher(KafkaRouteProperties properties) {
        KafkaPublisherBuilder publisher = KafkaPublisher.builder(String.valueOf(properties.getBootstrapServers()))
                .topic(properties.getTopic())
                .format(properties.getFormat())
                .producer(properties.getProducer());
        if (properties.getCloudEventsSource() != null) {
            publisher.cloudEventsSource(properties.getCloudEventsSource());
        }
        return publisher.build();
    }

    @Bean
    @Lazy
    EventRoute outboxKafkaRoute(KafkaPublisher publisher, KafkaRouteProperties properties) {
        return EventRoute.to(
                        "kafka",
                        RouteRetry.apply(publisher.controlled(), properties.getRetry(), properties.getMaxAttempts())
                                .build())
                .eventTypes(properties.getEventTypes().toArray(String[]::new));
    }
}
