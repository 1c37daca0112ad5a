package outbox.spring.boot;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import outbox.EventListener;
import outbox.domain.TransactionRunner;
import outbox.domain.bus.LoggingTransport;
import outbox.domain.handler.EventHandlers;
import outbox.domain.handler.EventHandlersBuilder;
import outbox.domain.handler.EventRoute;
import outbox.domain.handler.HandlerInterceptor;
import outbox.domain.handler.HandlerOptions;
import outbox.domain.handler.RetryRule;
import outbox.domain.type.EventTypes;
import outbox.registry.ListenerRegistry;
import outbox.spi.MetricsExporter;
import outbox.spring.boot.properties.HandlerProperties;
import outbox.spring.boot.properties.HandlerProperties.Unhandled;
import outbox.spring.boot.properties.PropertyGroup;
import outbox.util.VirtualThreads;

/** The handlers, routes and listeners of an outbox, with what the application configures for all of them. */
final class ConfiguredHandlers {
    private final UnitConfiguration unit;

    ConfiguredHandlers(UnitConfiguration unit) {
        this.unit = unit;
    }

    EventHandlersBuilder handlers(TransactionRunner transactions, MetricsExporter metrics) {
        return handlers(unit.handlerBeans(), transactions, metrics);
    }

    EventHandlersBuilder handlers(HandlerBeans handlerBeans, TransactionRunner transactions, MetricsExporter metrics) {
        EventHandlersBuilder handlers = EventHandlers.builder()
                .types(unit.beans().getBean(EventTypes.class))
                .serializer(PayloadSerializerConfiguration.of(unit.beans()))
                .transactions(transactions)
                .defaultRetry(ConfiguredRetry.of(unit))
                .metrics(metrics)
                .retired(unit.properties().getHandlers().getRetired().toArray(String[]::new));
        unit.group("dispatch")
                .give("time-limit", unit.properties().getDispatch().getTimeLimit(), handlers::defaultTimeLimit);
        HandlerProperties.Breaker breaker = unit.properties().getHandlers().getBreaker();
        new PropertyGroup("outbox.handlers.breaker")
                .give(
                        "failures",
                        breaker.getFailures(),
                        failures -> handlers.defaultCircuitBreaker(failures, HandlerOptions.DEFAULT_BREAKER_PAUSE))
                .give(
                        "pause",
                        breaker.getPause(),
                        pause -> handlers.defaultCircuitBreaker(breaker.getFailures(), pause));
        OutboxTracing tracing = unit.tracing();
        if (tracing != null) {
            handlers.interceptor(tracing);
        }
        if (unit.virtualThreads()) {
            ThreadFactory virtual = VirtualThreads.factory("outbox-handler-");
            if (virtual != null) {
                handlers.executor(task -> virtual.newThread(task).start());
            }
        }
        unit.beans().getBeanProvider(HandlerInterceptor.class).orderedStream().forEach(handlers::interceptor);
        unit.beans().getBeansOfType(RetryRule.class).forEach(handlers::retryRule);
        handlerBeans.addTo(handlers, unit.settings().name());
        return handlers;
    }

    List<EventRoute> routes() {
        List<EventRouteCustomizer> customizers = unit.beans()
                .getBeanProvider(EventRouteCustomizer.class)
                .orderedStream()
                .toList();
        List<EventRoute> routes = new ArrayList<>();
        for (String name : unit.routeNames()) {
            EventRoute route = unit.beans().getBean(name, EventRoute.class);
            for (EventRouteCustomizer customizer : customizers) {
                route = customizer.customize(route);
            }
            routes.add(route);
        }
        return routes;
    }

    List<ListenerRegistry> registries() {
        List<ListenerRegistry> registries = new ArrayList<>(unit.beans()
                .getBeanProvider(ListenerRegistry.class)
                .orderedStream()
                .toList());
        if (unit.properties().getHandlers().getUnhandled() == Unhandled.LOG) {
            registries.add(new LoggingTransport());
        }
        return registries;
    }

    EventListener aroundPlainListeners(EventListener listener) {
        OutboxTracing tracing = unit.tracing();
        MdcHeaders context = unit.beans().getBeanProvider(MdcHeaders.class).getIfAvailable();
        EventListener inner = context == null ? listener : context.around(listener);
        return tracing == null ? inner : tracing.traced(inner);
    }
}
