package outbox.spring.boot.module;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.domain.handler.EventRoute;
import outbox.listener.ControlledListener;
import outbox.listener.RetryPreset;
import outbox.spring.boot.properties.PropertyGroup;

/** What all ways out of the process have: which events go there, and how often it is tried. */
public abstract class RouteProperties {
    /** Types of events that go there, * for any characters. Default: all. */
    private List<String> eventTypes = new ArrayList<>();

    /** A named schedule of retries: delays and attempts. */
    private RetryPreset retry = RetryPreset.RELAY;

    /** Attempts for one event before it is given up, instead of the schedule's. */
    private @Nullable Integer maxAttempts;

    /** How long sending one event may take, instead of outbox.dispatch.time-limit; 0 for no limit. */
    private @Nullable Duration timeLimit;

    /** @param group where these properties are */
    EventRoute route(String name, PropertyGroup group, ControlledListener.Builder listener) {
        listener.retry(retry);
        group.give("max-attempts", maxAttempts, listener::maxAttempts);
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

    public RetryPreset getRetry() {
        return retry;
    }

    public void setRetry(RetryPreset retry) {
        this.retry = retry;
    }

    public @Nullable Duration getTimeLimit() {
        return timeLimit;
    }

    public void setTimeLimit(@Nullable Duration timeLimit) {
        this.timeLimit = timeLimit;
    }

    public @Nullable Integer getMaxAttempts() {
        return maxAttempts;
    }

    public void setMaxAttempts(@Nullable Integer maxAttempts) {
        this.maxAttempts = maxAttempts;
    }
}
