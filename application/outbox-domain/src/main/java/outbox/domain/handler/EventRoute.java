package outbox.domain.handler;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import outbox.AsyncEventListener;
import outbox.BatchEventListener;
import outbox.EventListener;
import outbox.domain.handler.Handler.Invocation;
import outbox.domain.handler.Handler.Takes;
import outbox.listener.ControlledListener;
import outbox.util.EventTypePattern;

/**
 * Sends events to a broker or any other listener. A route is a handler like {@link EventHandler} methods, with its own
 * name, progress and retries. It receives envelopes, so event types need no class. Immutable: every method returns a
 * changed copy.
 *
 * <pre>{@code
 * EventRoute.to("kafka", kafkaPublisher.controlled().build()).eventTypes("order.*")
 * }</pre>
 *
 * <p>An {@link AsyncEventListener} can have many events in flight on one thread; a {@link BatchEventListener} receives
 * waiting events in batches.
 */
public final class EventRoute {
    private static final List<EventTypePattern> ALL = List.of(new EventTypePattern("*"));

    private final String name;
    private final EventListener listener;
    private final List<EventTypePattern> eventTypes;
    private final HandlerOptions options;

    private EventRoute(String name, EventListener listener, List<EventTypePattern> eventTypes, HandlerOptions options) {
        this.name = name;
        this.listener = listener;
        this.eventTypes = eventTypes;
        this.options = options;
    }

    /**
     * A route for all events. The rules of a {@link ControlledListener} become those of the route.
     *
     * @param name under which progress is stored
     */
    public static EventRoute to(String name, EventListener listener) {
        Objects.requireNonNull(name, "name");
        if (listener instanceof ControlledListener controlled) {
            return new EventRoute(name, controlled.listener(), ALL, HandlerOptions.of(controlled.rules()));
        }
        return new EventRoute(name, Objects.requireNonNull(listener, "listener"), ALL, HandlerOptions.DEFAULT);
    }

    /** Event types to send, with {@code *} as a wildcard; none means all. */
    public EventRoute eventTypes(String... patterns) {
        List<EventTypePattern> wanted =
                Arrays.stream(patterns).map(EventTypePattern::new).toList();
        return new EventRoute(name, listener, wanted.isEmpty() ? ALL : wanted, options);
    }

    /** Changes its options, starting from those of its listener. */
    public EventRoute options(UnaryOperator<HandlerOptions> change) {
        return new EventRoute(name, listener, eventTypes, Objects.requireNonNull(change.apply(options)));
    }

    /** The same route with a wrapped listener. */
    public EventRoute around(UnaryOperator<EventListener> wrapper) {
        return new EventRoute(name, Objects.requireNonNull(wrapper.apply(listener)), eventTypes, options);
    }

    public String name() {
        return name;
    }

    HandlerDefinition definition() {
        HandlerOptions effective = options;
        if (listener instanceof AsyncEventListener && options.concurrency() == 0) {
            effective = options.concurrency(ControlledListener.DEFAULT_ASYNC_CONCURRENCY);
        }
        return new HandlerDefinition(
                name,
                "route to " + listener.getClass().getName(),
                new Takes.Envelopes(eventTypes),
                invocation(listener),
                effective,
                listener instanceof BatchEventListener batch ? Math.max(1, batch.maxBatchSize()) : 1,
                null);
    }

    private static Invocation invocation(EventListener listener) {
        if (listener instanceof AsyncEventListener async) {
            return new Invocation.Answering(
                    events -> async.onEventAsync(events.get(0).envelope()));
        }
        if (listener instanceof BatchEventListener batch) {
            return new Invocation.Returning(events -> batch.onEvents(
                    events.stream().map(Handler.Handled::envelope).toList()));
        }
        return new Invocation.Returning(events -> listener.onEvent(events.get(0).envelope()));
    }

    @Override
    public String toString() {
        return name + " " + eventTypes;
    }
}
