package outbox.spring.boot.module;

import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import outbox.domain.handler.EventRoute;
import outbox.kafka.KafkaPublisher;
import outbox.kafka.KafkaPublisherBuilder;
import outbox.spring.boot.OutboxAutoConfiguration;
import outbox.spring.boot.properties.PropertyGroup;

/** Events to Kafka, where {@code outbox-kafka} is there and it has settings. */
@AutoConfiguration(before = OutboxAutoConfiguration.class)
@ConditionalOnClass(KafkaPublisher.class)
@Conditional(KafkaRouteAutoConfiguration.IsAskedFor.class)
@EnableConfigurationProperties(KafkaRouteProperties.class)
public class KafkaRouteAutoConfiguration {
    private static final PropertyGroup PROPERTIES = new PropertyGroup("outbox.kafka");

    @Bean
    @Lazy // only an outbox that delivers needs it
    @ConditionalOnMissingBean
    KafkaPublisher outboxKafkaPublisher(KafkaRouteProperties properties, Environment environment) {
        KafkaPublisherBuilder publisher = KafkaPublisher.builder(
                        String.valueOf(KafkaSettings.bootstrapServers(environment)))
                .format(properties.getFormat());
        Map<String, String> producer = new LinkedHashMap<>(KafkaSettings.properties(environment));
        producer.putAll(properties.getProducer());
        PROPERTIES
                .give("topic", properties.getTopic(), publisher::topic)
                .give("cloud-events-source", properties.getCloudEventsSource(), publisher::cloudEventsSource);
        return PROPERTIES.build(() -> publisher.producer(producer).build());
    }

    @Bean
    @Lazy
    EventRoute outboxKafkaRoute(KafkaPublisher publisher, KafkaRouteProperties properties) {
        return properties.route("kafka", PROPERTIES, publisher.controlled());
    }

    /** Whether any of {@code outbox.kafka.*} is set; that brokers are named is checked at the start. */
    static final class IsAskedFor implements Condition {
        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return Binder.get(context.getEnvironment())
                    .bind("outbox.kafka", Bindable.mapOf(String.class, Object.class))
                    .isBound();
        }
    }
}
