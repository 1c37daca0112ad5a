package outbox.spring.boot;

import outbox.domain.handler.EventRoute;

/** Customizes {@link EventRoute} beans: beans of this type are called for each route. */
@FunctionalInterface
public interface EventRouteCustomizer {
    EventRoute customize(EventRoute route);
}
