package outbox.spring.boot.module;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;
import outbox.domain.handler.EventRoute;
import outbox.domain.handler.HandlerOptions;
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
public class KafkaRouteAutoConfiguration {
    private static final Logger LOG = System.getLogger(KafkaRouteAutoConfiguration.class.getName());
    private static final PropertyGroup PROPERTIES = new PropertyGroup("outbox.kafka");

    @Bean
    @Lazy // only needed by a delivering outbox
    @ConditionalOnMissingBean
    KafkaPublisher outboxKafkaPublisher(
            KafkaRouteProperties properties,
            ConfigurableListableBeanFactory beans,
            Environment environment,
            ResourceLoader resources,
            ObjectProvider<SslBundles> bundles) {
        ApplicationConnection<KafkaBrokers> connection =
                KafkaConnections.of(beans, new SpringKafkaProperties(environment, resources, bundles));
        KafkaBrokers brokers = connection.orOwn(
                properties.getBootstrapServers() == null // without the credentials for other brokers
                        ? null
                        : KafkaBrokers.of(Map.of("bootstrap.servers", properties.getBootstrapServers()), false),
                "outbox.kafka.bootstrap-servers",
                chosen -> "events go to Kafka at " + chosen.addresses(),
                problem -> SettingsThatLeadNowhere.incomplete(
                        environment,
                        "outbox.kafka",
                        problem + ", so no event would go to Kafka",
                        "Set spring.kafka.bootstrap-servers, or outbox.kafka.bootstrap-servers for brokers of the outbox"
                                + " alone, or remove the outbox.kafka.* properties."));
        if (brokers.transactional()) {
            LOG.log(
                    Level.INFO,
                    "the outbox sends events outside Kafka transactions: the transaction id (prefix) of "
                            + connection.origin() + " is for the application's own producers and is not used");
        }
        KafkaPublisherBuilder publisher = KafkaPublisher.builder(brokers.addresses())
                .settingsOf(brokers.settings())
                .format(properties.getFormat());
        PROPERTIES
                .give("topic", properties.getTopic(), publisher::topic)
                .give("cloud-events-source", properties.getCloudEventsSource(), publisher::cloudEventsSource);
        if (properties.isSchemaFraming()) {
            publisher.schemaFraming();
        }
        return PROPERTIES.build(
                () -> publisher.producer(properties.getProducer()).build());
    }

    @Bean
    @Lazy
    EventRoute outboxKafkaRoute(KafkaPublisher publisher, KafkaRouteProperties properties) {
        return properties
                .route("kafka", PROPERTIES, publisher.controlled())
                .options(HandlerOptions::defaultCircuitBreaker); // outbox.handlers.breaker.*
    }

    static final class IsAskedFor extends RouteIsAskedFor {
        IsAskedFor() {
            super("outbox.kafka");
        }
    }
}
