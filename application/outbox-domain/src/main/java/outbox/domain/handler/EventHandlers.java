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
import outbox.domain.type.EventTypes;
import outbox.domain.type.UnknownEventTypeException;
import outbox.listener.ControlledListener;
import outbox.registry.ListenerRegistry;
import outbox.spi.BreakerState;
import outbox.util.Loop;

/**
 * All handlers of an application, as the registry of an {@link outbox.Outbox}. Thread-safe.
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
    private final Map<Handler, HandlerLane> lanes;
    private final EventTypes types;
    private final @Nullable ListenerRegistry fallback;
    private final @Nullable EventConsumptionTracker tracker;
    private final Set<String> unknownHandlers;
    private final @Nullable ExecutorService ownThreads;
    private final @Nullable Loop timeLimits;

    EventHandlers(
            Routing routing,
            Map<Handler, HandlerRunner> runners,
            Map<Handler, HandlerLane> lanes,
            EventTypes types,
            @Nullable ListenerRegistry fallback,
            @Nullable EventConsumptionTracker tracker,
            Set<String> unknownHandlers,
            @Nullable ExecutorService ownThreads,
            @Nullable Loop timeLimits) {
        this.routing = routing;
        this.runners = runners;
        this.lanes = lanes;
        this.types = types;
        this.fallback = fallback;
        this.tracker = tracker;
        this.unknownHandlers = unknownHandlers;
        this.ownThreads = ownThreads;
        this.timeLimits = timeLimits;
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
        return HandlerScanner.hasHandlers(type);
    }

    /**
     * A handler as it was set up, and how busy it is.
     *
     * @param eventTypes names, or the patterns of a route
     * @param concurrency calls at a time; 0 for as many as there are workers
     * @param delivered events it was done with, since the start
     * @param failed events it failed at; one that is tried again may fail several times
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
        HandlerLane lane = lanes.get(handler);
        HandlerRunner runner = Objects.requireNonNull(runners.get(handler));
        return new HandlerInfo(
                handler.name(),
                handler.origin(),
                routing.typesOf(handler),
                handler.retry(),
                lane == null ? handler.concurrency() : handler.lanes(),
                handler.maxBatch(),
                handler.transactional(),
                lane == null ? 0 : lane.runningCount(),
                lane == null ? 0 : lane.waitingCount(),
                lane == null ? controlOf(handler).breakerState() : lane.breakerState(),
                lane == null ? controlOf(handler).isPaused() : lane.isPaused(),
                runner.delivered(),
                runner.failed());
    }

    /**
     * Calls a handler no more, or again. Meanwhile its part of events waits in the table and no attempt of it is counted;
     * other handlers of the same events go on.
     *
     * @return whether there is a handler of that name
     */
    public boolean setPaused(String handlerName, boolean paused) {
        boolean found = false;
        for (Handler handler : routing.handlers()) {
            if (handler.name().equals(handlerName)) {
                found = true;
                HandlerLane lane = lanes.get(handler);
                if (lane != null) {
                    lane.pause(paused);
                } else if (paused) {
                    controlOf(handler).pause();
                } else {
                    controlOf(handler).resume();
                }
            }
        }
        return found;
    }

    /** Where there are no lanes: the listener in front of a handler, which is alone. */
    private ControlledListener controlOf(Handler handler) {
        return (ControlledListener) routing.listenerOf(List.of(handler));
    }

    /**
     * How far each handler is with an event: one entry for every handler of its type, and for every other name that has
     * progress stored. Without a tracker there is none, and the row tells it all.
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

    /** Names with open progress that nobody handled when this was built. */
    public Set<String> unknownHandlers() {
        return unknownHandlers;
    }

    /** The types events are read by: those given to the builder and those the handlers take. */
    public EventTypes types() {
        return types;
    }

    @Override
    public @Nullable EventListener listenerFor(String aggregateType, String eventType) {
        return listenerFor(eventType, others -> others.listenerFor(aggregateType, eventType));
    }

    @Override
    public @Nullable EventListener listenerFor(EventEnvelope event) {
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

    /** Ends the threads of the handlers; calls that do not end soon are interrupted. */
    @Override
    public void close() {
        if (timeLimits != null) {
            timeLimits.interrupt();
        }
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
