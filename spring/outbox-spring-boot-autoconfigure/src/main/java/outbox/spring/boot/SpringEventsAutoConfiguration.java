package outbox.spring.boot;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import outbox.domain.DomainEventPublisher;

/** Events of Spring's own publisher become outbox events, unless that is switched off. */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@ConditionalOnProperty(prefix = "outbox", name = "enabled", matchIfMissing = true)
@ConditionalOnBean(value = DomainEventPublisher.class, search = SearchStrategy.CURRENT)
public class SpringEventsAutoConfiguration {
    @Bean
    @ConditionalOnProperty(prefix = "outbox.spring-events", name = "enabled", matchIfMissing = true)
    static SpringEventListener outboxSpringEventListener(
            ObjectProvider<OutboxUnit> outboxes,
            ObjectProvider<DomainEventPublisher> publishers,
            ObjectProvider<SpringEventSelector> selectors,
            Environment environment) {
        return new SpringEventListener(outboxes, publishers, selectors, ExternalizedEvents.markers(environment));
    }
}
