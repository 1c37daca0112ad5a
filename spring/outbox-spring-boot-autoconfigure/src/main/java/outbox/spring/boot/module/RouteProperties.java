package outbox.spring.boot.module;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import outbox.domain.handler.EventRoute;
import outbox.listener.ControlledListener;
import outbox.listener.RetryPreset;
import outbox.spring.boot.properties.PropertyGroup;

/** Common properties of routes: event types and retries. */
public abstract class RouteProperties {
    /** Event types to send, with * as a wildcard. Default: all. */
    private List<String> eventTypes = new ArrayList<>();

    @NestedConfigurationProperty
    private final RouteRetryProperties retry = new RouteRetryProperties();

    /** Time limit for sending one event. 0 means no limit. Default: outbox.dispatch.time-limit. */
    private @Nullable Duration timeLimit;

    /** @param preset the default retry schedule */
    RouteProperties(RetryPreset preset) {
        retry.setPreset(preset);
    }

    /** @param group the group of these properties */
    EventRoute route(String name, PropertyGroup group, ControlledListener.Builder listener) {
        listener.retry(retry.getPreset());
        group.give("retry.max-attempts", retry.getMaxAttempts(), listener::maxAttempts);
        group.give("time-limit", timeLimit, listener::timeLimit);
        return group.make(
                "event-types",
                eventTypes,
                types -> EventRoute.to(name, listener.build()).eventTypes(types.toArray(String[]::new)));
    }

    public List<String> getEventTypes() {
        return eventTypes;
    }

    public void setEventTypes(List<String> eventTypes) {
        this.eventTypes = eventTypes;
    }

    public RouteRetryProperties getRetry() {
        return retry;
    }

    public @Nullable Duration getTimeLimit() {
        return timeLimit;
    }

    public void setTimeLimit(@Nullable Duration timeLimit) {
        this.timeLimit = timeLimit;
    }
}
