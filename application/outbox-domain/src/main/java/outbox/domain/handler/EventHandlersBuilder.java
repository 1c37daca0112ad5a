package outbox.domain.handler;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.domain.TransactionRunner;
import outbox.domain.handler.Handler.Invocation;
import outbox.domain.handler.Handler.Takes;
import outbox.domain.type.EventReader;
import outbox.domain.type.EventTypes;
import outbox.domain.type.PayloadSerializer;
import outbox.listener.CircuitBreaker;
import outbox.listener.ControlledListener;
import outbox.listener.RunningCalls;
import outbox.registry.ListenerRegistry;
import outbox.spi.GuardedMetrics;
import outbox.spi.MetricsExporter;
import outbox.util.DaemonThreadFactory;
import outbox.util.Loop;

/** Collects handlers and what they need; whatever cannot work is refused by {@link #build()}. Not thread-safe. */
public final class EventHandlersBuilder {
    /** Far more than the lanes let in: they set the pace, not the dispatcher's gate, which gives events back for a second. */
    private static final int IN_FLIGHT = 10_000;

    /** Threads whose handler does not return after its time limit, beyond which that handler is not called again. */
    private static final int MOST_ABANDONED = 100;

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
    private @Nullable Duration defaultTimeLimit;
    private MetricsExporter metrics = MetricsExporter.NOOP;

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
                new Invocation.Returning(events -> function.handle(
                        eventClass.cast(Objects.requireNonNull(events.get(0).event())),
                        events.get(0).envelope())),
                options,
                1,
                null));
        return this;
    }

    /** Adds a listener, of a broker for instance, as one more handler beside the others. */
    public EventHandlersBuilder route(EventRoute route) {
        definitions.add(route.definition());
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

    /**
     * How long one call of a handler may take that says nothing; default: 10 minutes with a tracker, otherwise the limit of
     * the dispatcher. {@link Duration#ZERO} for no limit.
     */
    public EventHandlersBuilder defaultTimeLimit(Duration limit) {
        this.defaultTimeLimit = HandlerOptions.DEFAULT.timeLimit(limit).timeLimit();
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

    /**
     * Runs the calls where a tracker keeps account; default: daemon threads, at most as many as all handlers together run at
     * a time. Without a tracker the one handler of an event runs on the dispatcher's worker.
     */
    public EventHandlersBuilder executor(Executor executor) {
        this.executor = Objects.requireNonNull(executor, "executor");
        return this;
    }

    /** Where circuit breakers and time limits of handlers are reported. */
    public EventHandlersBuilder metrics(MetricsExporter metrics) {
        this.metrics = Objects.requireNonNull(metrics, "metrics");
        return this;
    }

    /**
     * Whether {@link #build()} would refuse to go without a {@link #tracker}: an event has several handlers or routes, or
     * one is transactional.
     */
    public boolean needsTracker() {
        HandlerChecks checks = new HandlerChecks(resolved());
        return checks.needTracker(checks.route(types.plus(checks.classes())));
    }

    private List<Handler> resolved() {
        return definitions.stream()
                .map(definition -> definition.resolve(rules, defaultRule, exceptions, defaultTimeLimit))
                .toList();
    }

    /**
     * Checks everything and reports names in the tracker that nobody handles.
     *
     * @throws IllegalArgumentException if handlers contradict each other or lack what they need; the message names them
     */
    public EventHandlers build() {
        List<Handler> handlers = resolved();
        if (serializer == null) {
            throw new IllegalArgumentException("handlers need serializer(...) to read payloads");
        }
        HandlerChecks checks = new HandlerChecks(handlers);
        checks.refuseSharedNames();
        EventTypes allTypes = types.plus(checks.classes());
        Map<String, List<Handler>> byType = checks.route(allTypes);
        checks.refuseMissingParts(byType, tracker, transactions);
        Set<String> unknown = tracker == null ? Set.of() : checks.reportUnknownNames(tracker, retired);
        EventReader reader = new EventReader(allTypes, serializer);
        Routing routing = new Routing(handlers, byType, checks.routes());
        return tracker == null
                ? untracked(routing, allTypes, reader)
                : tracked(routing, allTypes, reader, tracker, unknown);
    }

    private EventHandlers untracked(Routing routing, EventTypes allTypes, EventReader reader) {
        Map<Handler, HandlerRunner> runners = new HashMap<>();
        Map<Handler, EventListener> listeners = new HashMap<>();
        for (Handler handler : routing.handlers()) {
            HandlerRunner runner = new HandlerRunner(
                    handler, new Ledger.InRow(handler), reader, List.copyOf(interceptors), null, null);
            runners.put(handler, runner);
            listeners.put(handler, alone(handler, runner));
        }
        routing.listeners(members -> Objects.requireNonNull(listeners.get(members.get(0))));
        return new EventHandlers(routing, runners, Map.of(), allTypes, fallback, null, Set.of(), null, null);
    }

    private static ControlledListener alone(Handler only, HandlerRunner runner) {
        ControlledListener.Builder listener = ControlledListener.of(
                        only.answersLater()
                                ? new OneHandlerListener.Async(runner)
                                : new OneHandlerListener(only, runner))
                .name(only.name())
                .retryPolicy(only.retry().policy())
                .maxAttempts(only.retry().maxAttempts())
                .deadOn(EventGivenUpException.class);
        if (only.concurrency() > 0) {
            listener.concurrency(only.concurrency() * only.maxBatch());
        }
        if (only.ownTimeLimit() != null) {
            listener.timeLimit(only.ownTimeLimit());
        }
        if (only.breakerFailures() > 0) {
            listener.circuitBreaker(only.breakerFailures(), only.breakerPause());
        }
        return listener.build();
    }

    private EventHandlers tracked(
            Routing routing,
            EventTypes allTypes,
            EventReader reader,
            EventConsumptionTracker account,
            Set<String> unknown) {
        ExecutorService ownThreads =
                executor == null ? Executors.newCachedThreadPool(new DaemonThreadFactory("outbox-handler-")) : null;
        Executor threads = executor == null ? Objects.requireNonNull(ownThreads) : executor;
        Outage outage = new Outage();
        RunningCalls calls = new RunningCalls(System::nanoTime, GuardedMetrics.of(metrics), MOST_ABANDONED);
        OutcomeWriter outcomes = new OutcomeWriter(account, threads, outage);
        Map<Handler, HandlerRunner> runners = new HashMap<>();
        Map<Handler, HandlerLane> lanes = new HashMap<>();
        for (Handler handler : routing.handlers()) {
            CircuitBreaker breaker = new CircuitBreaker(
                    handler.name(),
                    handler.breakerFailures(),
                    handler.breakerPause(),
                    state -> metrics.recordBreakerState(handler.name(), state));
            Ledger ledger = new Ledger.InTracker(handler, outcomes, breaker, outage, System::nanoTime);
            HandlerRunner runner =
                    new HandlerRunner(handler, ledger, reader, List.copyOf(interceptors), account, transactions);
            runners.put(handler, runner);
            lanes.put(handler, new HandlerLane(handler, runner, breaker, outcomes, threads, System::nanoTime, calls));
        }
        routing.listeners(members -> {
            List<HandlerLane> own = members.stream()
                    .map(handler -> Objects.requireNonNull(lanes.get(handler)))
                    .toList();
            return ControlledListener.of(new HandlersListener(own, account, outage, Set.copyOf(retired)))
                    .name("handlers " + members.stream().map(Handler::name).toList())
                    .maxAttempts(Integer.MAX_VALUE) // each handler has a limit of its own
                    .deadOn(EventGivenUpException.class)
                    .concurrency(IN_FLIGHT)
                    .timeLimit(Duration.ZERO) // so too
                    .build();
        });
        Loop timeLimits = new Loop(
                "outbox time limits of handlers", new DaemonThreadFactory("outbox-handler-limits-"), calls::watch);
        return new EventHandlers(
                routing, runners, lanes, allTypes, fallback, account, unknown, ownThreads, timeLimits.start());
    }
}
