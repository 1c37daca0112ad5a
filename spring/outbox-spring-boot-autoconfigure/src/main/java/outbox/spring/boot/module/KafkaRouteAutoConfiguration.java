package outbox.spring.boot.module;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import outbox.domain.handler.EventRoute;
import outbox.kafka.KafkaPublisher;
import outbox.kafka.KafkaPublisherBuilder;
import outbox.spring.boot.OutboxAutoConfiguration;
import outbox.spring.boot.properties.PropertyGroup;

/** Events to Kafka, where {@code outbox-kafka} is there and it has settings. */
@AutoConfiguration(
        before = OutboxAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.autoconfigure.kafka.KafkaAutoConfiguration",
            "org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration"
        })
@ConditionalOnClass(KafkaPublisher.class)
@Conditional(KafkaRouteAutoConfiguration.IsAskedFor.class)
@EnableConfigurationProperties(KafkaRouteProperties.class)
@Import({
    KafkaConnections.OfProducerFactory.class,
    KafkaConnections.DetailsOfBoot3.class,
    KafkaConnections.DetailsOfBoot4.class,
    KafkaConnections.OfProperties.class
})
public class KafkaRouteAutoConfiguration {
    private static final Logger LOG = System.getLogger(KafkaRouteAutoConfiguration.class.getName());
    private static final PropertyGroup PROPERTIES = new PropertyGroup("outbox.kafka");

    @Bean
    @Lazy // only an outbox that delivers needs it
    @ConditionalOnMissingBean
    KafkaPublisher outboxKafkaPublisher(
            KafkaRouteProperties properties, KafkaConnection connection, Environment environment) {
        KafkaPublisherBuilder publisher =
                publisher(properties, connection, environment).format(properties.getFormat());
        PROPERTIES
                .give("topic", properties.getTopic(), publisher::topic)
                .give("cloud-events-source", properties.getCloudEventsSource(), publisher::cloudEventsSource);
        return PROPERTIES.build(
                () -> publisher.producer(properties.getProducer()).build());
    }

    /** Brokers of the outbox alone come without the application's credentials, which are for other brokers. */
    private static KafkaPublisherBuilder publisher(
            KafkaRouteProperties properties, KafkaConnection connection, Environment environment) {
        String own = properties.getBootstrapServers();
        String servers = connection.bootstrapServers();
        if (own != null && !own.isBlank()) {
            LOG.log(
                    Level.INFO,
                    "events go to Kafka at " + own + ", as outbox.kafka.bootstrap-servers says"
                            + (servers.isEmpty()
                                    ? ""
                                    : "; " + connection.origin() + " has " + servers + " and is not used"));
            return KafkaPublisher.builder(own);
        }
        if (servers.isEmpty()) {
            throw SettingsThatLeadNowhere.incomplete(
                    environment,
                    "outbox.kafka",
                    connection.problem() + ", so no event would go to Kafka",
                    "Set spring.kafka.bootstrap-servers, or outbox.kafka.bootstrap-servers for brokers of the outbox alone,"
                            + " or remove the outbox.kafka.* properties.");
        }
        LOG.log(Level.INFO, "events go to Kafka at " + servers + ", as " + connection.origin() + " says");
        return KafkaPublisher.builder(servers).settingsOf(connection.settings());
    }

    @Bean
    @Lazy
    EventRoute outboxKafkaRoute(KafkaPublisher publisher, KafkaRouteProperties properties) {
        return properties.route("kafka", PROPERTIES, publisher.controlled());
    }

    static final class IsAskedFor extends RouteIsAskedFor {
        IsAskedFor() {
            super("outbox.kafka");
        }
    }
}
