package outbox.spring.boot.module;

import java.util.Map;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import outbox.domain.handler.EventRoute;
import outbox.webhook.WebhookPublisher;

/** A publisher and a route for each of {@code outbox.webhook.endpoints.*}; the route is named {@code webhook-<name>}. */
final class WebhookEndpointRoutes implements ImportBeanDefinitionRegistrar {
    static final String PUBLISHER = "outboxWebhookPublisher-";

    private static final String FACTORY = "outboxWebhookRoutes";

    private final Environment environment;

    WebhookEndpointRoutes(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
        registry.registerBeanDefinition(FACTORY, new RootBeanDefinition(WebhookRouteFactory.class));
        Map<String, Object> endpoints = Binder.get(environment)
                .bind("outbox.webhook.endpoints", Bindable.mapOf(String.class, Object.class))
                .orElseGet(Map::of);
        for (String name : endpoints.keySet()) {
            register(registry, PUBLISHER + name, WebhookPublisher.class, "publisher", name);
            register(registry, "outboxWebhookRoute-" + name, EventRoute.class, "route", name);
        }
    }

    private static void register(
            BeanDefinitionRegistry registry, String beanName, Class<?> type, String method, String endpoint) {
        RootBeanDefinition definition = new RootBeanDefinition();
        definition.setTargetType(type);
        definition.setFactoryBeanName(FACTORY);
        definition.setFactoryMethodName(method);
        definition.getConstructorArgumentValues().addIndexedArgumentValue(0, endpoint);
        definition.setLazyInit(true);
        registry.registerBeanDefinition(beanName, definition);
    }
}
