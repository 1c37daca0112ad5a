package outbox.domain.handler;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.Redelivery;
import outbox.domain.type.EventTypes;
import outbox.domain.type.UnknownEventTypeException;
import outbox.listener.ControlledListener;
import outbox.registry.ListenerRegistry;
import outbox.spi.BreakerState;
import outbox.util.Loop;

/**
 * All handlers of an application, as the listener registry of an {@link outbox.Outbox}. Thread-safe.
 *
 * <pre>{@code
 * EventHandlers handlers = EventHandlers.scan(new OrderMailer(), new Stock())
 *     .types(types)
 *     .serializer(serializer)
 *     .tracker(tracker)
 *     .transactions(transactions)
 *     .build();
 * Outbox outbox = Outbox.multiNode().listeners(handlers)...
 * }</pre>
 *
 * <p>Close it after the outbox.
 */
public final class EventHandlers implements ListenerRegistry, AutoCloseable {
    private static final long CLOSE_SECONDS = 5;

    private final Routing routing;
    private final Map<Handler, HandlerRunner> runners;
    private final Map<Handler, HandlerQueue> queues;
    private final EventTypes types;
    private final @Nullable ListenerRegistry fallback;
    private final @Nullable EventConsumptionTracker tracker;
    private final Set<String> unknownHandlers;
    private final @Nullable ExecutorService ownThreads;
    private final List<Loop> loops;

    EventHandlers(
            Routing routing,
            Map<Handler, HandlerRunner> runners,
            Map<Handler, HandlerQueue> queues,
            EventTypes types,
            @Nullable ListenerRegistry fallback,
            @Nullable EventConsumptionTracker tracker,
            Set<String> unknownHandlers,
            @Nullable ExecutorService ownThreads,
            List<Loop> loops) {
        this.routing = routing;
        this.runners = runners;
        this.queues = queues;
        this.types = types;
        this.fallback = fallback;
        this.tracker = tracker;
        this.unknownHandlers = unknownHandlers;
        this.ownThreads = ownThreads;
        this.loops = loops;
    }

    public static EventHandlersBuilder builder() {
        return new EventHandlersBuilder();
    }

    /**
     * A builder with the {@link EventHandler} methods of these objects.
     *
     * @throws IllegalArgumentException if one has no such method, or one with a wrong signature, which the message names
     */
    public static EventHandlersBuilder scan(Object... objects) {
        return builder().scan(objects);
    }

    /** Whether a class has {@link EventHandler} methods, its own or inherited. */
    public static boolean areIn(Class<?> type) {
        return areIn(type, HandlerMark.EVENT_HANDLER);
    }

    /** Whether a class has methods with such a mark, its own or inherited. */
    public static boolean areIn(Class<?> type, HandlerMark<?> mark) {
        return HandlerScanner.hasHandlers(type, mark);
    }

    /**
     * Configuration and current load of a handler.
     *
     * @param eventTypes names, or the patterns of a route
     * @param concurrency concurrency limit; 0 for the number of workers
     * @param delivered events handled successfully since the start
     * @param failed failed calls since the start; a retried event counts several times
     */
    public record HandlerInfo(
            String name,
            String origin,
            Set<String> eventTypes,
            RetryRule retry,
            int concurrency,
            int maxBatch,
            boolean transactional,
            int running,
            int waiting,
            BreakerState breaker,
            boolean paused,
            long delivered,
            long failed) {}

    /** All handlers, by name. */
    public List<HandlerInfo> handlers() {
        return routing.handlers().stream()
                .map(this::info)
                .sorted(Comparator.comparing(HandlerInfo::name))
                .toList();
    }

    private HandlerInfo info(Handler handler) {
        HandlerQueue queue = queues.get(handler);
        HandlerRunner runner = Objects.requireNonNull(runners.get(handler));
        return new HandlerInfo(
                handler.name(),
                handler.origin(),
                routing.typesOf(handler),
                handler.retry(),
                queue == null ? handler.rules().concurrency() : handler.maxRunning(),
                handler.maxBatch(),
                handler.transactional(),
                queue == null ? 0 : queue.runningCount(),
                queue == null ? 0 : queue.waitingCount(),
                queue == null ? controlOf(handler).breakerState() : queue.breakerState(),
                queue == null ? controlOf(handler).isPaused() : queue.isPaused(),
                runner.delivered(),
                runner.failed());
    }

    /**
     * Pauses or resumes a handler. While it is paused, its events wait in the table and no attempts are counted; other
     * handlers of the same events are not affected.
     *
     * @return whether there is a handler of that name
     */
    public boolean setPaused(String handlerName, boolean paused) {
        boolean found = false;
        for (Handler handler : routing.handlers()) {
            if (handler.name().equals(handlerName)) {
                found = true;
                HandlerQueue queue = queues.get(handler);
                if (queue != null) {
                    queue.pause(paused);
                } else if (paused) {
                    controlOf(handler).pause();
                } else {
                    controlOf(handler).resume();
                }
            }
        }
        return found;
    }

    /** The listener of a handler without a queue, which is the only handler of its events. */
    private ControlledListener controlOf(Handler handler) {
        return (ControlledListener) routing.listenerOf(List.of(handler));
    }

    /**
     * The progress of each handler with an event: one entry for every handler of its type, and for every other name
     * with stored progress. Empty without a tracker: the row contains everything then.
     *
     * <p>Progress is stored when there is something to remember. If an event is DONE and a handler is {@link
     * HandlerState#PENDING}, it has consumed the event in the first delivery, like all other handlers.
     */
    public List<HandlerProgress> progressOf(String eventId, String eventType) {
        List<HandlerProgress> stored = tracker == null ? List.of() : tracker.progressOf(eventId);
        List<HandlerProgress> all = new ArrayList<>(stored);
        for (Handler handler : routing.of(eventType)) {
            if (stored.stream().noneMatch(progress -> handler.isKnownAs(progress.handler()))) {
                all.add(HandlerProgress.pending(eventId, handler.name()));
            }
        }
        return List.copyOf(all);
    }

    /** Names with open progress but without a handler when this was built. */
    public Set<String> unknownHandlers() {
        return unknownHandlers;
    }

    /** All event types: those passed to the builder and those of the handlers. */
    public EventTypes types() {
        return types;
    }

    @Override
    public @Nullable EventListener listenerFor(String aggregateType, String eventType) {
        return listenerFor(eventType, others -> others.listenerFor(aggregateType, eventType));
    }

    @Override
    public @Nullable EventListener listenerFor(EventEnvelope event) {
        String only = Redelivery.targetOf(event);
        if (only != null) {
            for (Handler handler : routing.of(event.eventType())) {
                if (handler.name().equals(only)) {
                    return routing.listenerOf(List.of(handler));
                }
            }
        }
        return listenerFor(event.eventType(), others -> others.listenerFor(event));
    }

    private @Nullable EventListener listenerFor(
            String eventType, Function<ListenerRegistry, @Nullable EventListener> fromFallback) {
        EventListener listener = routing.listenerFor(eventType);
        if (listener != null) {
            return listener;
        }
        if (fallback != null) {
            return fromFallback.apply(fallback);
        }
        return types.classOf(eventType) == null ? EventHandlers::refuseUnknown : null;
    }

    @Override
    public void onReplay(Connection conn, String eventId) throws SQLException {
        if (tracker != null) {
            tracker.retryNow(conn, eventId);
        }
        if (fallback != null) {
            fallback.onReplay(conn, eventId);
        }
    }

    private static void refuseUnknown(EventEnvelope event) {
        throw new UnknownEventTypeException("no class is registered for event type '" + event.eventType() + "' (event "
                + event.eventId() + "); register one with EventTypes and replay the event");
    }

    /** Stops the threads of the handlers; calls that do not end soon are interrupted. */
    @Override
    public void close() {
        loops.forEach(Loop::interrupt);
        if (ownThreads == null) {
            return;
        }
        ownThreads.shutdown();
        try {
            if (!ownThreads.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                ownThreads.shutdownNow();
            }
        } catch (InterruptedException e) {
            ownThreads.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
