package outbox.spring.modulith;

import java.util.Objects;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.Externalized;
import org.springframework.modulith.events.config.EventExternalizationAutoConfiguration;
import org.springframework.modulith.events.support.EventExternalizationTransport;
import org.springframework.modulith.events.support.OutboxEventExternalizerFactory;
import outbox.domain.handler.EventRoute;
import outbox.domain.handler.RetryRule;
import outbox.domain.type.EventDeserializer;
import outbox.domain.type.EventTypes;
import outbox.domain.type.PayloadSerializer;
import outbox.listener.RetryPreset;

/** Makes the route to a transport. {@link TransportRoutes} names the method in bean definitions. */
final class TransportRouteFactory {
    private static final String JMOLECULES = "org.jmolecules.event.annotation.Externalized";

    /** A route without event types would take all. */
    private static final String NO_TYPE = "-";

    private final ConfigurableListableBeanFactory beans;
    private final EventExternalizationConfiguration configuration;
    private final OutboxEventExternalizerFactory externalizers;
    private final EventTypes types;
    private final EventDeserializer reader;

    TransportRouteFactory(
            ConfigurableListableBeanFactory beans,
            EventExternalizationConfiguration configuration,
            OutboxEventExternalizerFactory externalizers,
            EventTypes types,
            PayloadSerializer serializer) {
        this.beans = beans;
        this.configuration = configuration;
        this.externalizers = externalizers;
        this.types = types;
        this.reader = new EventDeserializer(types, serializer);
    }

    EventRoute route(String transport) {
        EventExternalizationTransport bean = beans.getBean(transport, EventExternalizationTransport.class);
        return EventRoute.to(
                        "modulith-" + transport,
                        new ExternalizingListener(reader, configuration, externalizers.forTransport(bean)))
                .options(options -> options.retry(RetryRule.of(RetryPreset.RELAY)))
                .eventTypes(eventTypes());
    }

    /**
     * Names of the types that may be externalized. Spring Modulith's own configuration selects by annotation; what one of
     * the application selects is known only when there is an event.
     */
    private String[] eventTypes() {
        boolean byAnnotation = isModulithsOwn();
        String[] names = types.names().stream()
                .filter(name -> !byAnnotation || isExternalized(Objects.requireNonNull(types.classOf(name))))
                .toArray(String[]::new);
        return names.length == 0 ? new String[] {NO_TYPE} : names;
    }

    private static boolean isExternalized(Class<?> type) {
        MergedAnnotations annotations = MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY);
        return annotations.isPresent(Externalized.class) || annotations.isPresent(JMOLECULES);
    }

    private boolean isModulithsOwn() {
        for (String name : beans.getBeanNamesForType(EventExternalizationConfiguration.class)) {
            if (!beans.containsBeanDefinition(name)
                    || !EventExternalizationAutoConfiguration.class
                            .getName()
                            .equals(beans.getBeanDefinition(name).getBeanClassName())) {
                return false;
            }
        }
        return true;
    }
}
