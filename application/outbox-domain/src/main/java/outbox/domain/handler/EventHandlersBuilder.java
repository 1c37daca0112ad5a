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
import outbox.domain.type.EventDeserializer;
import outbox.domain.type.EventTypes;
import outbox.domain.type.PayloadSerializer;
import outbox.listener.CallRules;
import outbox.listener.ControlledListener;
import outbox.listener.RunningCalls;
import outbox.registry.ListenerRegistry;
import outbox.spi.GuardedMetrics;
import outbox.spi.MetricsExporter;
import outbox.util.DaemonThreadFactory;
import outbox.util.Loop;

/** Collects handlers and their settings; {@link #build()} validates them. Not thread-safe. */
public final class EventHandlersBuilder {
    /**
     * Far more than the handler queues admit: they limit the rate, not the dispatcher's concurrency limit, which would
     * release events for a second.
     */
    private static final int IN_FLIGHT = 10_000;

    /** Maximum number of hung calls; a handler with more is not called again. */
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
    private int defaultBreakerFailures = HandlerOptions.DEFAULT_BREAKER_FAILURES;
    private Duration defaultBreakerPause = HandlerOptions.DEFAULT_BREAKER_PAUSE;
    private MetricsExporter metrics = MetricsExporter.NOOP;
    private boolean inOneTransaction;

    EventHandlersBuilder() {}

    /** A handler as a function. */
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

    /** Adds the methods declared by {@code type}, called on {@code object}, which may be a proxy. */
    public EventHandlersBuilder scan(Object object, Class<?> type) {
        return scan(object, type, HandlerMark.EVENT_HANDLER);
    }

    /** The same for methods with another mark than {@link EventHandler}. */
    public EventHandlersBuilder scan(Object object, Class<?> type, HandlerMark<?> mark) {
        definitions.addAll(HandlerScanner.scan(object, type, mark));
        return this;
    }

    /** Adds a function as a handler. */
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

    /** Adds a route, such as a broker, as a further handler. */
    public EventHandlersBuilder route(EventRoute route) {
        definitions.add(route.definition());
        return this;
    }

    /** Names, versions and upcasters; event classes of handlers are added. */
    public EventHandlersBuilder types(EventTypes types) {
        this.types = Objects.requireNonNull(types, "types");
        return this;
    }

    /** Required: reads payloads. */
    public EventHandlersBuilder serializer(PayloadSerializer serializer) {
        this.serializer = Objects.requireNonNull(serializer, "serializer");
        return this;
    }

    /** Stores the progress of each handler; required if an event has several handlers or one is transactional. */
    public EventHandlersBuilder tracker(EventConsumptionTracker tracker) {
        this.tracker = Objects.requireNonNull(tracker, "tracker");
        return this;
    }

    /** Required for transactional handlers. */
    public EventHandlersBuilder transactions(TransactionRunner transactions) {
        this.transactions = Objects.requireNonNull(transactions, "transactions");
        return this;
    }

    /** Listeners for events without a handler. Default: these events become dead letters. */
    public EventHandlersBuilder fallback(ListenerRegistry fallback) {
        this.fallback = Objects.requireNonNull(fallback, "fallback");
        return this;
    }

    /** Retry rule of handlers without their own; default {@link RetryRule#DEFAULT}. */
    public EventHandlersBuilder defaultRetry(RetryRule rule) {
        this.defaultRule = Objects.requireNonNull(rule, "rule");
        return this;
    }

    /**
     * Time limit of handlers without their own; default: 10 minutes with a tracker, otherwise that of the dispatcher.
     * {@link Duration#ZERO} for no limit.
     */
    public EventHandlersBuilder defaultTimeLimit(Duration limit) {
        this.defaultTimeLimit = HandlerOptions.DEFAULT.timeLimit(limit).timeLimit();
        return this;
    }

    /**
     * Circuit breaker of handlers and routes without their own; default: {@value
     * HandlerOptions#DEFAULT_BREAKER_FAILURES} consecutive failures, 10 s. While it is open, events wait in the table and
     * no attempts are counted. Handlers that take batches have as many times the batch size.
     *
     * @param failures 0 for none
     */
    public EventHandlersBuilder defaultCircuitBreaker(int failures, Duration pause) {
        HandlerOptions options = failures == 0
                ? HandlerOptions.DEFAULT.noCircuitBreaker()
                : HandlerOptions.DEFAULT.circuitBreaker(failures, pause);
        this.defaultBreakerFailures = options.breakerFailuresOr(0);
        this.defaultBreakerPause = options.breakerPauseOr(HandlerOptions.DEFAULT_BREAKER_PAUSE);
        return this;
    }

    /** Defines a rule that {@link EventHandler#retry()} can refer to. */
    public EventHandlersBuilder retryRule(String name, RetryRule rule) {
        rules.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(rule, "rule"));
        return this;
    }

    /** For all handlers: exceptions that are not retried. */
    public EventHandlersBuilder deadOn(Class<? extends Throwable> exceptionClass) {
        exceptions.put(List.of(exceptionClass), true);
        return this;
    }

    /** For all handlers: exceptions to retry although a superclass is not retried. */
    public EventHandlersBuilder retryOn(Class<? extends Throwable> exceptionClass) {
        exceptions.put(List.of(exceptionClass), false);
        return this;
    }

    public EventHandlersBuilder interceptor(HandlerInterceptor interceptor) {
        interceptors.add(Objects.requireNonNull(interceptor, "interceptor"));
        return this;
    }

    /** Names of handlers that were removed on purpose; their open progress is ignored. */
    public EventHandlersBuilder retired(String... handlerNames) {
        retired.addAll(Arrays.asList(handlerNames));
        return this;
    }

    /**
     * Runs handler calls if there is a tracker; default: daemon threads, at most the sum of all concurrency limits.
     * Without a tracker the only handler of an event runs on the dispatcher's worker.
     */
    public EventHandlersBuilder executor(Executor executor) {
        this.executor = Objects.requireNonNull(executor, "executor");
        return this;
    }

    /**
     * For an inline inbox, which calls its listener in a transaction that also records the message: all handlers of an event
     * run one after the other on the calling thread, and a failure of one undoes the work of all. There is no progress, so a
     * tracker is not used, and transactional handlers are like others.
     */
    public EventHandlersBuilder inOneTransaction() {
        this.inOneTransaction = true;
        return this;
    }

    /** Receives metrics of circuit breakers and time limits. */
    public EventHandlersBuilder metrics(MetricsExporter metrics) {
        this.metrics = Objects.requireNonNull(metrics, "metrics");
        return this;
    }

    /**
     * Whether {@link #build()} requires a {@link #tracker}: an event has several handlers or routes, or one is
     * transactional.
     */
    public boolean needsTracker() {
        HandlerChecks checks = new HandlerChecks(resolved());
        return checks.needTracker(checks.route(types.plus(checks.classes())));
    }

    private List<Handler> resolved() {
        return definitions.stream()
                .map(definition -> definition.resolve(
                        rules, defaultRule, exceptions, defaultTimeLimit, defaultBreakerFailures, defaultBreakerPause))
                .toList();
    }

    /**
     * Validates everything and reports names in the tracker without a handler.
     *
     * @throws IllegalArgumentException if handlers conflict or a required setting is missing; the message names them
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
        if (inOneTransaction) {
            return untracked(
                    new Routing(handlers, byType, checks.routes()),
                    allTypes,
                    new EventDeserializer(allTypes, serializer));
        }
        checks.refuseMissingParts(byType, tracker, transactions);
        Set<String> unknown = tracker == null ? Set.of() : checks.reportUnknownNames(tracker, retired);
        EventDeserializer reader = new EventDeserializer(allTypes, serializer);
        Routing routing = new Routing(handlers, byType, checks.routes());
        return tracker == null
                ? untracked(routing, allTypes, reader)
                : tracked(routing, allTypes, reader, tracker, unknown);
    }

    private EventHandlers untracked(Routing routing, EventTypes allTypes, EventDeserializer reader) {
        Map<Handler, HandlerRunner> runners = new HashMap<>();
        Map<Handler, EventListener> listeners = new HashMap<>();
        for (Handler handler : routing.handlers()) {
            HandlerRunner runner = new HandlerRunner(
                    handler, new OutcomeRecorder.InRow(handler), reader, List.copyOf(interceptors), null, null);
            runners.put(handler, runner);
            listeners.put(handler, alone(handler, runner));
        }
        routing.listeners(members -> members.size() == 1
                ? Objects.requireNonNull(listeners.get(members.get(0)))
                : new InTurn(members.stream().map(listeners::get).toList()));
        return new EventHandlers(routing, runners, Map.of(), allTypes, fallback, null, Set.of(), null, List.of());
    }

    /** Several handlers in one transaction. */
    private record InTurn(List<EventListener> members) implements EventListener {
        @Override
        public void onEvent(EventEnvelope event) throws Exception {
            for (EventListener member : members) {
                member.onEvent(event);
            }
        }
    }

    private static ControlledListener alone(Handler only, HandlerRunner runner) {
        int calls = only.rules().concurrency() * only.maxBatch();
        return ControlledListener.of(
                        only.answersLater()
                                ? new OneHandlerListener.Async(runner)
                                : new OneHandlerListener(only, runner))
                .name(only.name())
                .rules(calls == 0 ? only.rules() : only.rules().with(rules -> rules.concurrency(calls)))
                .deadOn(HandlersFailedException.class)
                .build();
    }

    private EventHandlers tracked(
            Routing routing,
            EventTypes allTypes,
            EventDeserializer reader,
            EventConsumptionTracker account,
            Set<String> unknown) {
        ExecutorService ownThreads =
                executor == null ? Executors.newCachedThreadPool(new DaemonThreadFactory("outbox-handler-")) : null;
        Executor threads = executor == null ? Objects.requireNonNull(ownThreads) : executor;
        Outage outage = new Outage();
        RunningCalls calls = new RunningCalls(System::nanoTime, GuardedMetrics.of(metrics), MOST_ABANDONED);
        ProgressReader progress = new ProgressReader(account::progressOf, threads);
        ProgressWriter outcomes = new ProgressWriter(account, threads, outage);
        OpenPasses openPasses = new OpenPasses(System::nanoTime);
        Map<Handler, HandlerRunner> runners = new HashMap<>();
        Map<Handler, HandlerQueue> queues = new HashMap<>();
        for (Handler handler : routing.handlers()) {
            CallRules rules = new CallRules(
                    handler.name(), handler.rules(), state -> metrics.recordBreakerState(handler.name(), state));
            OutcomeRecorder recorder =
                    new OutcomeRecorder.InTracker(handler, outcomes, rules, outage, System::nanoTime);
            HandlerRunner runner =
                    new HandlerRunner(handler, recorder, reader, List.copyOf(interceptors), account, transactions);
            runners.put(handler, runner);
            queues.put(handler, new HandlerQueue(handler, runner, rules, outcomes, threads, System::nanoTime, calls));
        }
        routing.listeners(members -> {
            List<HandlerQueue> own = members.stream()
                    .map(handler -> Objects.requireNonNull(queues.get(handler)))
                    .toList();
            return ControlledListener.of(new HandlersListener(own, progress, openPasses, outage, Set.copyOf(retired)))
                    .name(nameOf(members))
                    .maxAttempts(Integer.MAX_VALUE) // each handler has its own limit
                    .deadOn(HandlersFailedException.class)
                    .concurrency(IN_FLIGHT)
                    .timeLimit(Duration.ZERO) // likewise
                    .build();
        });
        Loop timeLimits = new Loop(
                "outbox time limits of handlers", new DaemonThreadFactory("outbox-handler-limits-"), calls::watch);
        Loop successes = new Loop(
                "outbox progress of handlers", new DaemonThreadFactory("outbox-handler-progress-"), openPasses::watch);
        return new EventHandlers(
                routing,
                runners,
                queues,
                allTypes,
                fallback,
                account,
                unknown,
                ownThreads,
                List.of(timeLimits.start(), successes.start()));
    }

    /** A redelivery is accepted by its handler's name. */
    private static String nameOf(List<Handler> members) {
        return members.size() == 1
                ? members.get(0).name()
                : "handlers " + members.stream().map(Handler::name).toList();
    }
}
