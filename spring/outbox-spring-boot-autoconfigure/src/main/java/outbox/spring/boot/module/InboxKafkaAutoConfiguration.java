package outbox.spring.boot.module;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;
import outbox.inbox.Inbox;
import outbox.inbox.kafka.KafkaInbox;
import outbox.inbox.kafka.KafkaInboxBuilder;
import outbox.spring.boot.InboxAutoConfiguration;
import outbox.spring.boot.properties.InboxKafkaProperties;
import outbox.spring.boot.properties.InboxProperties;
import outbox.spring.boot.properties.OutboxProperties;
import outbox.spring.boot.properties.PropertyGroup;

/** Messages from Kafka, for groups with topics. */
@AutoConfiguration(
        after = InboxAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.autoconfigure.kafka.KafkaAutoConfiguration",
            "org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration"
        })
@ConditionalOnClass(
        value = Inbox.class,
        name = {"outbox.inbox.kafka.KafkaInbox", "org.apache.kafka.clients.consumer.Consumer"})
@ConditionalOnBean(Inbox.class)
@Conditional(InboxKafkaAutoConfiguration.HasTopics.class)
public class InboxKafkaAutoConfiguration {
    /** How a producer connects is how a consumer does. */
    private static final List<String> CONNECTION_SETTINGS = List.of("security.", "sasl.", "ssl.");

    static final class HasTopics extends InboxGroups.Exists {
        HasTopics() {
            super(group -> !group.getKafka().getTopics().isEmpty());
        }
    }

    @Bean
    InboxConsumers outboxInboxKafkaConsumers(
            ConfigurableListableBeanFactory beans,
            InboxProperties inboxes,
            OutboxProperties outbox,
            Environment environment,
            ResourceLoader resources,
            ObjectProvider<SslBundles> bundles) {
        ApplicationConnection<KafkaBrokers> connection =
                KafkaConnections.of(beans, new SpringKafkaProperties(environment, resources, bundles));
        List<Supplier<? extends AutoCloseable>> makers = new ArrayList<>();
        inboxes.getGroups().forEach((group, properties) -> {
            InboxKafkaProperties kafka = properties.getKafka();
            if (!kafka.getTopics().isEmpty()) {
                KafkaInboxBuilder consumer = builder(beans, group, kafka, connection, environment);
                for (int i = 0; i < kafka.getConsumers(); i++) {
                    makers.add(() -> consumer.build().start());
                }
            }
        });
        return new InboxConsumers(makers, outbox.isAutoStartup());
    }

    private static KafkaInboxBuilder builder(
            BeanFactory beans,
            String group,
            InboxKafkaProperties kafka,
            ApplicationConnection<KafkaBrokers> connection,
            Environment environment) {
        PropertyGroup properties = new PropertyGroup("outbox.inbox.groups." + group + ".kafka");
        KafkaBrokers brokers = connection.orOwn(
                kafka.getBootstrapServers() == null
                        ? null
                        : KafkaBrokers.of(Map.of("bootstrap.servers", kafka.getBootstrapServers()), false),
                properties.prefix() + ".bootstrap-servers",
                chosen -> "inbox '" + group + "' reads " + kafka.getTopics() + " of Kafka at " + chosen.addresses(),
                problem -> SettingsThatLeadNowhere.incomplete(
                        environment,
                        properties.prefix(),
                        problem + ", so nothing would be read from Kafka",
                        "Set spring.kafka.bootstrap-servers, or " + properties.prefix() + ".bootstrap-servers."));
        KafkaInboxBuilder consumer = KafkaInbox.builder(InboxGroups.inboxOf(beans, group), brokers.addresses())
                .groupId(kafka.getGroupId() == null ? group : kafka.getGroupId())
                .topics(kafka.getTopics().toArray(String[]::new));
        brokers.settings().forEach((name, value) -> {
            if (CONNECTION_SETTINGS.stream().anyMatch(name::startsWith)) {
                consumer.consumer(name, value);
            }
        });
        kafka.getProperties().forEach(consumer::consumer);
        properties
                .give("max-pending", kafka.getMaxPending(), consumer::maxPending)
                .give("consumers", kafka.getConsumers(), PositiveNumber::of);
        return consumer;
    }
}
