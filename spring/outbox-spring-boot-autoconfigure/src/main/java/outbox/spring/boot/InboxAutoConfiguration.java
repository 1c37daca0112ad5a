package outbox.spring.boot;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import outbox.inbox.Inbox;
import outbox.inbox.InboxCounts;
import outbox.spring.boot.properties.InboxProperties;

/** The inboxes of {@code outbox.inbox.groups.*}, where {@code outbox-inbox} is there. */
@AutoConfiguration(
        after = OutboxAutoConfiguration.class,
        before = {OutboxActuatorAutoConfiguration.class, ControlCenterAutoConfiguration.class})
@ConditionalOnClass(Inbox.class)
@ConditionalOnBean(DataSource.class)
@ConditionalOnProperty(prefix = "outbox", name = "enabled", matchIfMissing = true)
@EnableConfigurationProperties(InboxProperties.class)
@Import(NamedInboxes.class)
public class InboxAutoConfiguration {
    /** How many messages came, and how many of them were known. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    static class Metrics {
        private static final Map<String, ToLongFunction<InboxCounts>> OUTCOMES = Map.of(
                "received", InboxCounts::received,
                "duplicate", InboxCounts::duplicates,
                "dead", InboxCounts::dead);

        @Bean
        MeterBinder outboxInboxMetrics(ObjectProvider<Inbox> inboxes) {
            return registry -> {
                List<Inbox> all = inboxes.stream().toList();
                all.forEach(inbox -> OUTCOMES.forEach((outcome, count) -> FunctionCounter.builder(
                                "outbox.inbox.messages", inbox, each -> count.applyAsLong(each.counts()))
                        .description("Messages that this node received, by outcome")
                        .tag("group", inbox.group())
                        .tag("outcome", outcome)
                        .register(registry)));
            };
        }
    }
}
