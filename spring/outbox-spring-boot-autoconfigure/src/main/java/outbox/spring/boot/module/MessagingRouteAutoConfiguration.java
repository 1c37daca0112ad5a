package outbox.spring.boot.module;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Arrays;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.messaging.MessageChannel;
import org.springframework.messaging.PollableChannel;
import org.springframework.messaging.support.ExecutorSubscribableChannel;
import outbox.domain.handler.EventRoute;
import outbox.listener.ControlledListener;
import outbox.spring.boot.OutboxAutoConfiguration;
import outbox.spring.boot.properties.PropertyGroup;

/** Events to a channel of Spring Messaging, and so to whatever Spring Integration or Spring Cloud Stream connects it to. */
@AutoConfiguration(before = OutboxAutoConfiguration.class)
@ConditionalOnClass(MessageChannel.class)
@Conditional(MessagingRouteAutoConfiguration.IsAskedFor.class)
@EnableConfigurationProperties(MessagingRouteProperties.class)
public class MessagingRouteAutoConfiguration {
    private static final Logger LOG = System.getLogger(MessagingRouteAutoConfiguration.class.getName());
    private static final PropertyGroup PROPERTIES = new PropertyGroup("outbox.messaging");

    /** Of Spring Integration, which an application need not have. */
    private static final String EXECUTOR_CHANNEL = "org.springframework.integration.channel.ExecutorChannel";

    @Bean
    @Lazy // only needed by a delivering outbox
    EventRoute outboxMessagingRoute(
            MessagingRouteProperties properties, ListableBeanFactory beans, Environment environment) {
        String name = properties.getChannel();
        if (name == null || name.isBlank()) {
            throw SettingsThatLeadNowhere.incomplete(
                    environment,
                    "outbox.messaging",
                    "no channel is named, so no event would be sent",
                    "Set outbox.messaging.channel to the name of a MessageChannel bean, or remove the outbox.messaging.*"
                            + " properties.");
        }
        if (!beans.containsBean(name) || !beans.isTypeMatch(name, MessageChannel.class)) {
            throw SettingsThatLeadNowhere.incomplete(
                    environment,
                    "outbox.messaging",
                    "there is no MessageChannel bean '" + name + "'",
                    "Define it, or name one of " + Arrays.toString(beans.getBeanNamesForType(MessageChannel.class))
                            + " in outbox.messaging.channel.");
        }
        MessageChannel channel = beans.getBean(name, MessageChannel.class);
        if (keepsMessagesInMemory(channel)) {
            LOG.log(
                    Level.WARNING,
                    "channel '" + name + "', a " + channel.getClass().getName()
                            + ", accepts events before they are sent:"
                            + " an event counts as delivered then, and is lost if the process ends before. Use a channel"
                            + " that calls its subscriber in the sending thread, such as DirectChannel");
        }
        return properties.route(
                "messaging",
                PROPERTIES,
                ControlledListener.of(PROPERTIES.make(
                                "send-timeout",
                                properties.getSendTimeout(),
                                timeout -> new MessageChannelListener(name, channel, positive(timeout))))
                        .name("messaging"));
    }

    private static Duration positive(Duration timeout) {
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("it must be positive");
        }
        return timeout;
    }

    /** A queue may have a store that survives the process, so this is a warning, and executors are not all known. */
    private static boolean keepsMessagesInMemory(MessageChannel channel) {
        return channel instanceof PollableChannel
                || (channel instanceof ExecutorSubscribableChannel executing && executing.getExecutor() != null)
                || channel.getClass().getName().equals(EXECUTOR_CHANNEL);
    }

    static final class IsAskedFor extends RouteIsAskedFor {
        IsAskedFor() {
            super("outbox.messaging");
        }
    }
}
