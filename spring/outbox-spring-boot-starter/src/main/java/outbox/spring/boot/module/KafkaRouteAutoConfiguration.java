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
import outbox.spring.boot.properties.PropertyGroup;

/** Events to Kafka, where {@code outbox-kafka} is there and brokers are named. */
@AutoConfiguration(before = OutboxAutoConfiguration.class)
@ConditionalOnClass(KafkaPublisher.class)
@ConditionalOnProperty(prefix = "outbox.kafka", name = "bootstrap-servers")
@EnableConfigurationProperties(KafkaRouteProperties.class)
public class KafkaRouteAutoConfiguration {
    private static final PropertyGroup PROPERTIES = new PropertyGroup("outbox.kafka");

    @Bean
    @Lazy // only an outbox that delivers needs it
    @ConditionalOnMissingBean
    KafkaPublisher outboxKafkaPublisher(KafkaRouteProperties properties) {
        KafkaPublisherBuilder publisher = KafkaPublisher.builder(String.valueOf(properties.getBootstrapServers()))
                .format(properties.getFormat());
        PROPERTIES
                .give("topic", properties.getTopic(), publisher::topic)
                .give("cloud-events-source", properties.getCloudEventsSource(), publisher::cloudEventsSource);
        return PROPERTIES.build(
                () -> publisher.producer(properties.getProducer()).build());
    }

    @Bean
    @Lazy
    EventRoute outboxKafkaRoute(KafkaPublisher publisher, KafkaRouteProperties properties) {
        return properties.route("kafka", PROPERTIES, publisher.controlled());
    }
}
