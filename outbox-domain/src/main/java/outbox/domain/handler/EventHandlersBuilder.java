package outbox.domain.handler;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.dispatch.ControlledListener;
import outbox.domain.TransactionRunner;
import outbox.domain.handler.Handler.Takes;
import outbox.domain.type.EventReader;
import outbox.domain.type.EventTypes;
import outbox.domain.type.PayloadSerializer;
import outbox.registry.ListenerRegistry;
import outbox.util.DaemonThreadFactory;

/** Collects handlers and what they need; whatever can not work is refused by {@link #build()}. Not thread-safe. */
public final class EventHandlersBuilder {
    private static final Logger LOG = System.getLogger(EventHandlers.class.getName());

    private final List<HandlerDefinition> definitions = new ArrayList<>();
    private final Map<String, RetryRule> rules = RetryRule.named();
    private final ExceptionRules exceptions = new ExceptionRules();
    private final List<HandlerInterceptor> interceptors = new ArrayList<>();
    private final Set<String> retired = new HashSet<>();
    private EventTypes types = EventTypes.builder().build();
    private @Nullable PayloadSerializer serializer;
    private @Nullable EventConsumptionTracker tracker;
    private @Nullable TransactionRunner transactions;
    private @Nullable ListenerRegistry fallback;
    private @Nullable Executor executor;
    private RetryRule defaultRule = RetryRule.DEFAULT;
    private int maxInFlight = ControlledListener.DEFAULT_ASYNC_CONCURRENCY;

    EventHandlersBuilder() {}

    /** Code that reacts to an event. */
    @FunctionalInterface
    public interface HandlerFunction<E> {
        void handle(E event, EventEnvelope envelope) throws Exception;
    }

    /** Adds the {@link EventHandler} methods of these objects. */
    public EventHandlersBuilder scan(Object... objects) {
        for (Object object : objects) {
            scan(object, object.getClass());
        }
        return this;
    }

    /** Adds the methods that {@code type} declares, to be called on {@code object}: a proxy, for instance. */
    public EventHandlersBuilder scan(Object object, Class<?> type) {
        definitions.addAll(HandlerScanner.scan(object, type));
        return this;
    }

    /** Adds a handler that is no method. */
    public <E> EventHandlersBuilder handler(
            String name, Class<E> eventClass, HandlerOptions options, HandlerFunction<? super E> function) {
        definitions.add(new HandlerDefinition(
                name,
                "a function for " + eventClass.getSimpleName(),
                new Takes.Objects(eventClass),
                events -> function.handle(
                        eventClass.cast(Objects.requireNonNull(events.get(0).event())),
                        events.get(0).envelope()),
                options,
                1,
                null));
        return this;
    }

    /**
     * Adds a listener, of a broker for instance, as one more handler beside the others.
     *
     * @param eventTypes the names it takes; none for all that are registered
     */
    public EventHandlersBuilder listener(
            String name, HandlerOptions options, EventListener listener, String... eventTypes) {
        definitions.add(new HandlerDefinition(
                name,
                "listener " + listener.getClass().getName(),
                new Takes.Envelopes(Set.of(eventTypes)),
                events -> listener.onEvent(events.get(0).envelope()),
                options,
                1,
                null));
        return this;
    }

    /** Names, versions and upcasters; classes that handlers take are added to them. */
    public EventHandlersBuilder types(EventTypes types) {
        this.types = Objects.requireNonNull(types, "types");
        return this;
    }

    /** Required: reads payloads. */
    public EventHandlersBuilder serializer(PayloadSerializer serializer) {
        this.serializer = Objects.requireNonNull(serializer, "serializer");
        return this;
    }

    /** Where each handler's progress is kept; required where an event has several handlers or one is transactional. */
    public EventHandlersBuilder tracker(EventConsumptionTracker tracker) {
        this.tracker = Objects.requireNonNull(tracker, "tracker");
        return this;
    }

    /** Required for transactional handlers. */
    public EventHandlersBuilder transactions(TransactionRunner transactions) {
        this.transactions = Objects.requireNonNull(transactions, "transactions");
        return this;
    }

    /** Takes the events no handler takes. Without it they are dead. */
    public EventHandlersBuilder fallback(ListenerRegistry fallback) {
        this.fallback = Objects.requireNonNull(fallback, "fallback");
        return this;
    }

    /** For handlers that say nothing; default {@link RetryRule#DEFAULT}. */
    public EventHandlersBuilder defaultRetry(RetryRule rule) {
        this.defaultRule = Objects.requireNonNull(rule, "rule");
        return this;
    }

    /** A rule that {@link EventHandler#retry()} can name. */
    public EventHandlersBuilder retryRule(String name, RetryRule rule) {
        rules.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(rule, "rule"));
        return this;
    }

    /** For all handlers: exceptions that mean dead at once. */
    public EventHandlersBuilder deadOn(Class<? extends Throwable> exceptionClass) {
        exceptions.put(List.of(exceptionClass), true);
        return this;
    }

    /** For all handlers: exceptions to retry although a superclass means dead. */
    public EventHandlersBuilder retryOn(Class<? extends Throwable> exceptionClass) {
        exceptions.put(List.of(exceptionClass), false);
        return this;
    }

    public EventHandlersBuilder interceptor(HandlerInterceptor interceptor) {
        interceptors.add(Objects.requireNonNull(interceptor, "interceptor"));
        return this;
    }

    /** Names that are gone on purpose: what they left open is not waited for. */
    public EventHandlersBuilder retired(String... handlerNames) {
        retired.addAll(Arrays.asList(handlerNames));
        return this;
    }

    /** Runs the calls; default: daemon threads, at most as many as all handlers together run at a time. */
    public EventHandlersBuilder executor(Executor executor) {
        this.executor = Objects.requireNonNull(executor, "executor");
        return this;
    }

    /** How many events of one type are in the hands of their handlers at most; default 256. */
    public EventHandlersBuilder maxInFlight(int limit) {
        if (limit <= 0) {
            throw new IllegalArgumentException("maxInFlight must be positive: " + limit);
        }
        this.maxInFlight = limit;
        return this;
    }

    /**
     * Checks everything and reports names in the tracker that nobody handles.
     *
     * @throws IllegalArgumentException if handlers contradict each other or lack what they need; the message names them
     */
    public EventHandlers build() {
        List<Handler> handlers = definitions.stream()
                .map(definition -> definition.resolve(rules, defaultRule, exceptions))
                .toList();
        refuseSharedNames(handlers);
        EventTypes allTypes = types.plus(classesOf(handlers));
        Map<String, List<Handler>> byType = route(handlers, allTypes);
        refuseMissingParts(handlers, byType);
        Set<String> unknown = reportUnknownNames(handlers);

        ExecutorService ownThreads =
                executor == null ? Executors.newCachedThreadPool(new DaemonThreadFactory("outbox-handler-")) : null;
        Executor threads = executor == null ? Objects.requireNonNull(ownThreads) : executor;
        EventReader reader = new EventReader(allTypes, serializer());
        Outage outage = new Outage();
        Map<Handler, HandlerLane> lanes = new HashMap<>();
        for (Handler handler : handlers) {
            Ledger ledger =
                    tracker == null ? new Ledger.InRow(handler) : new Ledger.InTracker(handler, tracker, outage);
            HandlerRunner runner =
                    new HandlerRunner(handler, ledger, reader, List.copyOf(interceptors), tracker, transactions);
            lanes.put(handler, new HandlerLane(handler, runner, threads, System::nanoTime));
        }
        Map<String, List<HandlerLane>> lanesByType = new LinkedHashMap<>();
        Map<String, EventListener> listeners = new HashMap<>();
        byType.forEach((type, members) -> {
            List<HandlerLane> own = members.stream()
                    .map(handler -> Objects.requireNonNull(lanes.get(handler)))
                    .toList();
            lanesByType.put(type, own);
            listeners.put(type, listener(type, own, outage));
        });
        return new EventHandlers(
                Map.copyOf(listeners), Map.copyOf(lanesByType), allTypes, fallback, tracker, unknown, ownThreads);
    }

    private PayloadSerializer serializer() {
        if (serializer == null) {
            throw new IllegalArgumentException("handlers need serializer(...) to read payloads");
        }
        return serializer;
    }

    private EventListener listener(String type, List<HandlerLane> lanes, Outage outage) {
        if (tracker == null) {
            Handler only = lanes.get(0).handler();
            return ControlledListener.of(new OneHandlerListener(lanes.get(0)))
                    .name(only.name())
                    .retryPolicy(only.retry().policy())
                    .maxAttempts(only.retry().maxAttempts())
                    .deadOn(EventGivenUpException.class)
                    .concurrency(only.concurrency() * only.maxBatch())
                    .build();
        }
        return ControlledListener.of(new HandlersListener(lanes, tracker, outage, Set.copyOf(retired)))
                .name("handlers of " + type)
                .maxAttempts(Integer.MAX_VALUE) // each handler has a limit of its own
                .deadOn(EventGivenUpException.class)
                .concurrency(maxInFlight)
                .build();
    }

    private static void refuseSharedNames(List<Handler> handlers) {
        Map<String, Handler> byName = new HashMap<>();
        for (Handler handler : handlers) {
            Handler twin = byName.put(handler.name(), handler);
            if (twin != null) {
                throw new IllegalArgumentException(
                        "two handlers have the name '" + handler.name() + "': " + twin.origin() + " and "
                                + handler.origin() + "; progress is stored by name, give each its own");
            }
        }
        for (Handler handler : handlers) {
            for (String former : handler.formerNames()) {
                Handler owner = byName.get(former);
                if (owner != null) {
                    throw new IllegalArgumentException(
                            "handler " + handler + " had the former name '" + former + "', which is that of " + owner);
                }
            }
        }
    }

    /** Concrete classes register themselves; interfaces take what is registered. */
    private static Set<Class<?>> classesOf(List<Handler> handlers) {
        Set<Class<?>> classes = new LinkedHashSet<>();
        for (Handler handler : handlers) {
            if (handler.takes() instanceof Takes.Objects objects
                    && !objects.eventClass().isInterface()
                    && !Modifier.isAbstract(objects.eventClass().getModifiers())
                    && objects.eventClass() != Object.class) {
                classes.add(objects.eventClass());
            }
        }
        return classes;
    }

    private static Map<String, List<Handler>> route(List<Handler> handlers, EventTypes types) {
        Map<String, List<Handler>> byType = new LinkedHashMap<>();
        for (Handler handler : handlers) {
            Set<String> names = namesFor(handler, types);
            if (names.isEmpty()) {
                throw new IllegalArgumentException("handler " + handler + " takes no event that is registered;"
                        + " register the events it means with EventTypes");
            }
            names.forEach(name ->
                    byType.computeIfAbsent(name, any -> new ArrayList<>()).add(handler));
        }
        return byType;
    }

    private static Set<String> namesFor(Handler handler, EventTypes types) {
        if (handler.takes() instanceof Takes.Envelopes envelopes) {
            return envelopes.eventTypes().isEmpty() ? types.names() : envelopes.eventTypes();
        }
        Class<?> wanted = ((Takes.Objects) handler.takes()).eventClass();
        Set<String> names = new LinkedHashSet<>();
        for (String name : types.names()) {
            if (wanted.isAssignableFrom(Objects.requireNonNull(types.classOf(name)))) {
                names.add(name);
            }
        }
        return names;
    }

    private void refuseMissingParts(List<Handler> handlers, Map<String, List<Handler>> byType) {
        for (Handler handler : handlers) {
            if (!handler.transactional()) {
                continue;
            }
            if (tracker == null || !tracker.isTransactional()) {
                throw new IllegalArgumentException("handler " + handler + " is transactional: it needs a tracker(...)"
                        + " in the same database, such as JdbcEventConsumptionTracker");
            }
            if (transactions == null) {
                throw new IllegalArgumentException(
                        "handler " + handler + " is transactional: it needs transactions(...)");
            }
        }
        byType.forEach((type, members) -> {
            if (tracker == null && members.size() > 1) {
                throw new IllegalArgumentException("event type '" + type + "' has " + members.size() + " handlers, "
                        + members.stream().map(Handler::name).toList()
                        + ": they need a tracker(...) that remembers which of them consumed an event, such as"
                        + " JdbcEventConsumptionTracker");
            }
        });
    }

    private Set<String> reportUnknownNames(List<Handler> handlers) {
        if (tracker == null) {
            return Set.of();
        }
        tracker.verify();
        Set<String> unknown;
        try {
            unknown = new TreeSet<>(tracker.openHandlers());
        } catch (RuntimeException e) {
            LOG.log(
                    Level.WARNING,
                    "could not look for progress under names that nobody handles; rows that have some end dead",
                    e);
            return Set.of();
        }
        unknown.removeAll(retired);
        unknown.removeIf(name -> handlers.stream().anyMatch(handler -> handler.isKnownAs(name)));
        if (!unknown.isEmpty()) {
            LOG.log(
                    Level.WARNING,
                    "nobody handles events under the names " + unknown + " any more, but some events are not consumed"
                            + " under them; those will be dead. If a handler was renamed, give it formerNames; if it"
                            + " is gone on purpose, call retired(...)");
        }
        return Set.copyOf(unknown);
    }
}
