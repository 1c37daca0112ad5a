package outbox.spring.boot;

import outbox.domain.handler.EventRoute;

/** Has the last word on every {@link EventRoute} bean: a bean of this type is called for each. */
@FunctionalInterface
public interface EventRouteCustomizer {
    EventRoute customize(EventRoute route);
}
