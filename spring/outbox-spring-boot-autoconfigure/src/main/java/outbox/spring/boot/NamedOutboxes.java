package outbox.spring.boot;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import outbox.Outbox;
import outbox.OutboxRelay;
import outbox.OutboxWriter;
import outbox.dead.DeadEventManager;
import outbox.domain.DomainEventPublisher;
import outbox.domain.publish.DomainEventOutboxService;
import outbox.idempotency.IdempotentCreateTemplate;
import outbox.spring.boot.properties.InstanceProperties;
import outbox.spring.boot.properties.OutboxProperties;

/**
 * Registers the beans of each instance in {@code outbox.instances.*}: the same as for a single outbox, qualified with
 * the instance's name, so that {@code @Qualifier("billing") OutboxWriter} is the writer of {@code billing}.
 */
final class NamedOutboxes implements ImportBeanDefinitionRegistrar {
    static final String WRITER = "OutboxWriter";
    static final String PUBLISHER = "DomainEventPublisher";

    private static final String FACTORY = "outboxInstances";

    private final Environment environment;

    NamedOutboxes(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
        registry.registerBeanDefinition(FACTORY, new RootBeanDefinition(NamedOutboxFactory.class));
        OutboxForm.instances(environment).forEach((name, instance) -> register(registry, name, instance));
    }

    private void register(BeanDefinitionRegistry registry, String name, InstanceProperties instance) {
        Definitions of = new Definitions(registry, name, instance.isPrimary());
        of.bean("OutboxUnit", OutboxUnit.class, "unit");
        of.bean("Outbox", Outbox.class, "outbox");
        of.bean("OutboxPlace", OutboxPlace.class, "place");
        of.bean("OutboxKeys", OutboxKeys.class, "keys");
        of.replaceable(WRITER, OutboxWriter.class, "writer");
        of.replaceable("DeadEvents", DeadEventManager.class, "deadEvents");
        of.replaceable(PUBLISHER, DomainEventPublisher.class, "publisher");
        of.replaceable("DomainEventOutboxService", DomainEventOutboxService.class, "service");
        of.replaceable("IdempotentCreateTemplate", IdempotentCreateTemplate.class, "idempotentCreate");
        if (modeOf(instance) != OutboxProperties.Mode.WRITER_ONLY) {
            RootBeanDefinition relay = of.bean("OutboxRelay", OutboxRelay.class, "relay");
            relay.setLazyInit(true); // an outbox without delivery has none
        }
    }

    private OutboxProperties.Mode modeOf(InstanceProperties instance) {
        if (instance.getMode() != null) {
            return instance.getMode();
        }
        return environment.getProperty("outbox.mode", OutboxProperties.Mode.class, OutboxProperties.Mode.MULTI_NODE);
    }

    /** Definitions of one instance. */
    private record Definitions(BeanDefinitionRegistry registry, String name, boolean primary) {
        /** A bean that the application may define itself, under the same name. */
        void replaceable(String suffix, Class<?> type, String method) {
            if (!registry.containsBeanDefinition(name + suffix)) {
                bean(suffix, type, method);
            }
        }

        /** @param method of {@link NamedOutboxFactory} that makes it */
        RootBeanDefinition bean(String suffix, Class<?> type, String method) {
            RootBeanDefinition definition = new RootBeanDefinition();
            definition.setTargetType(type);
            definition.setFactoryBeanName(FACTORY);
            definition.setFactoryMethodName(method);
            definition.getConstructorArgumentValues().addIndexedArgumentValue(0, name);
            definition.addQualifier(new AutowireCandidateQualifier(Qualifier.class, name));
            definition.setPrimary(primary);
            definition.setDestroyMethodName(""); // closed by the unit
            registry.registerBeanDefinition(name + suffix, definition);
            return definition;
        }
    }
}
