package outbox.spring.modulith;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.modulith.events.core.ConditionalEventListener;
import org.springframework.modulith.events.support.EventExternalizationTransport;
import outbox.domain.handler.EventRoute;

/**
 * A route for each transport of the application, with progress and retries of its own. Refuses what would send the same
 * events beside the outbox.
 */
final class TransportRoutes implements BeanDefinitionRegistryPostProcessor {
    static final String FACTORY = "outboxModulithRouteFactory";

    private static final String ROUTE = "outboxModulithRoute-";

    @Override
    public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
        ListableBeanFactory beans = (ListableBeanFactory) registry;
        refuseSecondSenders(beans);
        for (String transport : beans.getBeanNamesForType(EventExternalizationTransport.class, true, false)) {
            if (!registry.containsBeanDefinition(ROUTE + transport)) { // it is, if it was made ahead of time
                RootBeanDefinition route = new RootBeanDefinition();
                route.setTargetType(EventRoute.class);
                route.setFactoryBeanName(FACTORY);
                route.setFactoryMethodName("route");
                route.getConstructorArgumentValues().addIndexedArgumentValue(0, transport);
                route.setLazyInit(true);
                registry.registerBeanDefinition(ROUTE + transport, route);
            }
        }
    }

    /** Listeners of Spring Modulith's own that externalize after the commit. */
    private static void refuseSecondSenders(ListableBeanFactory beans) {
        for (String name : beans.getBeanNamesForType(ConditionalEventListener.class, true, false)) {
            throw new IllegalStateException("bean '" + name + "' (" + beans.getType(name) + ") sends events"
                    + " after the commit, and spring.modulith.events.externalization.mode is outbox: every event would be"
                    + " sent twice. Define an EventExternalizationTransport bean instead, or remove the property");
        }
    }
}
