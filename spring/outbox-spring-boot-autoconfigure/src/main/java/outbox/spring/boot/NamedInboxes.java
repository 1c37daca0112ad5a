package outbox.spring.boot;

import java.util.Map;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import outbox.inbox.DurableInbox;
import outbox.inbox.InlineInbox;
import outbox.spring.boot.properties.InboxGroupProperties;
import outbox.spring.boot.properties.InboxGroupProperties.Mode;
import outbox.spring.boot.properties.InboxProperties;

/**
 * Registers the beans of each group in {@code outbox.inbox.groups.*}, qualified with the name of the group: {@code
 * billingInbox} is the inbox of {@code billing}.
 */
final class NamedInboxes implements ImportBeanDefinitionRegistrar {
    static final String UNIT = "InboxUnit";

    private static final String FACTORY = "outboxInboxes";

    private final Environment environment;

    NamedInboxes(Environment environment) {
        this.environment = environment;
    }

    static Map<String, InboxGroupProperties> groups(Environment environment) {
        return Binder.get(environment)
                .bind(InboxProperties.PREFIX + ".groups", Bindable.mapOf(String.class, InboxGroupProperties.class))
                .orElseGet(Map::of);
    }

    @Override
    public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
        registry.registerBeanDefinition(FACTORY, new RootBeanDefinition(NamedInboxFactory.class));
        groups(environment).forEach((name, group) -> {
            RootBeanDefinition unit = bean(registry, name, UNIT, OutboxUnit.class, "unit");
            unit.setFallback(true); // where one outbox is injected, it is not this
            RootBeanDefinition unused = bean(
                    registry,
                    name,
                    "Inbox",
                    group.getMode() == Mode.INLINE ? InlineInbox.class : DurableInbox.class,
                    group.getMode() == Mode.INLINE ? "inline" : "durable");
        });
    }

    /** @param method of {@link NamedInboxFactory} that makes it */
    private static RootBeanDefinition bean(
            BeanDefinitionRegistry registry, String group, String suffix, Class<?> type, String method) {
        RootBeanDefinition definition = new RootBeanDefinition();
        definition.setTargetType(type);
        definition.setFactoryBeanName(FACTORY);
        definition.setFactoryMethodName(method);
        definition.getConstructorArgumentValues().addIndexedArgumentValue(0, group);
        definition.addQualifier(new AutowireCandidateQualifier(Qualifier.class, group));
        definition.setDestroyMethodName(""); // closed by the unit
        registry.registerBeanDefinition(group + suffix, definition);
        return definition;
    }
}
