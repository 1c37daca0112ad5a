package outbox.spring.boot.module;

import java.util.ArrayList;
import java.util.List;
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
import outbox.inbox.Inbox;
import outbox.inbox.rabbitmq.RabbitInbox;
import outbox.inbox.rabbitmq.RabbitInboxBuilder;
import outbox.spring.boot.InboxAutoConfiguration;
import outbox.spring.boot.properties.InboxProperties;
import outbox.spring.boot.properties.InboxRabbitProperties;
import outbox.spring.boot.properties.OutboxProperties;
import outbox.spring.boot.properties.PropertyGroup;

/** Messages from RabbitMQ, for groups with queues. */
@AutoConfiguration(
        after = InboxAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.autoconfigure.amqp.RabbitAutoConfiguration",
            "org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration"
        })
@ConditionalOnClass(
        value = Inbox.class,
        name = {"outbox.inbox.rabbitmq.RabbitInbox", "com.rabbitmq.client.ConnectionFactory"})
@ConditionalOnBean(Inbox.class)
@Conditional(InboxRabbitAutoConfiguration.HasQueues.class)
public class InboxRabbitAutoConfiguration {
    static final class HasQueues extends InboxGroups.Exists {
        HasQueues() {
            super(group -> !group.getRabbitmq().getQueues().isEmpty());
        }
    }

    @Bean
    InboxConsumers outboxInboxRabbitConsumers(
            ConfigurableListableBeanFactory beans,
            InboxProperties inboxes,
            OutboxProperties outbox,
            Environment environment,
            ObjectProvider<SslBundles> bundles) {
        ApplicationConnection<RabbitBroker> connection =
                RabbitConnections.of(beans, new SpringRabbitProperties(environment, bundles));
        List<Supplier<? extends AutoCloseable>> makers = new ArrayList<>();
        inboxes.getGroups().forEach((group, properties) -> {
            InboxRabbitProperties rabbit = properties.getRabbitmq();
            if (!rabbit.getQueues().isEmpty()) {
                RabbitInboxBuilder consumer = builder(beans, group, rabbit, connection, environment);
                for (int i = 0; i < rabbit.getConsumers(); i++) {
                    makers.add(() -> consumer.build().start());
                }
            }
        });
        return new InboxConsumers(makers, outbox.isAutoStartup());
    }

    private static RabbitInboxBuilder builder(
            BeanFactory beans,
            String group,
            InboxRabbitProperties rabbit,
            ApplicationConnection<RabbitBroker> connection,
            Environment environment) {
        PropertyGroup properties = new PropertyGroup("outbox.inbox.groups." + group + ".rabbitmq");
        RabbitBroker broker = connection.orOwn(
                null,
                "spring.rabbitmq",
                chosen -> "inbox '" + group + "' reads queues " + rabbit.getQueues() + " of RabbitMQ",
                problem -> SettingsThatLeadNowhere.incomplete(
                        environment,
                        properties.prefix(),
                        problem + ", so nothing would be read from RabbitMQ",
                        "Set spring.rabbitmq.host or .addresses."));
        RabbitInboxBuilder consumer = RabbitInbox.builder(InboxGroups.inboxOf(beans, group), broker.factory())
                .addresses(broker.addresses())
                .queues(rabbit.getQueues().toArray(String[]::new));
        properties
                .give("prefetch", rabbit.getPrefetch(), consumer::prefetch)
                .give("max-pending", rabbit.getMaxPending(), consumer::maxPending)
                .give("consumers", rabbit.getConsumers(), PositiveNumber::of);
        return consumer;
    }
}
