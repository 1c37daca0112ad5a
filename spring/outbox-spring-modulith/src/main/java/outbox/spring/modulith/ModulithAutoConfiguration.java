package outbox.spring.modulith;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.config.EventExternalizationAutoConfiguration;
import org.springframework.modulith.events.support.OutboxEventExternalizerFactory;
import outbox.domain.type.EventTypes;
import outbox.domain.type.PayloadSerializer;
import outbox.spring.boot.OutboxAutoConfiguration;
import outbox.spring.boot.SpringEventSelector;

/**
 * The outbox as engine of {@code spring.modulith.events.externalization.mode=outbox}. An event that Spring Modulith's
 * {@link EventExternalizationConfiguration} selects is written in the transaction of its publisher, as it is; what it is
 * mapped to, and where it goes, is decided when it is delivered.
 */
@AutoConfiguration(before = OutboxAutoConfiguration.class, after = EventExternalizationAutoConfiguration.class)
@ConditionalOnClass(OutboxEventExternalizerFactory.class)
@ConditionalOnBean(OutboxEventExternalizerFactory.class) // in that mode alone
@ConditionalOnProperty(prefix = "outbox", name = "enabled", matchIfMissing = true)
public class ModulithAutoConfiguration {
    ModulithAutoConfiguration(Environment environment) {
        if (!environment.getProperty("outbox.spring-events.enabled", Boolean.class, true)) {
            throw new IllegalStateException("outbox.spring-events.enabled is false, and"
                    + " spring.modulith.events.externalization.mode is outbox: no event would be written, and none sent;"
                    + " remove one of them");
        }
    }

    @Bean
    static TransportRoutes outboxModulithTransportRoutes() {
        return new TransportRoutes();
    }

    @Bean(TransportRoutes.FACTORY)
    @Lazy // only an outbox that delivers needs it
    TransportRouteFactory outboxModulithRouteFactory(
            ConfigurableListableBeanFactory beans,
            EventExternalizationConfiguration configuration,
            OutboxEventExternalizerFactory externalizers,
            EventTypes types,
            PayloadSerializer serializer) {
        return new TransportRouteFactory(beans, configuration, externalizers, types, serializer);
    }

    @Bean
    SpringEventSelector outboxModulithEventSelector(
            EventExternalizationConfiguration configuration, ObjectProvider<EventTypes> types) {
        return new ExternalizedEventSelector(configuration, types);
    }
}
