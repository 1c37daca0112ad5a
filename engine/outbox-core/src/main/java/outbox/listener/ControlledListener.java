package outbox.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import outbox.AsyncEventListener;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.NotAttemptedException;
import outbox.dispatch.RetryPolicy;
import outbox.spi.BreakerState;
import outbox.spi.MetricsExporter;

/**
 * A listener with rules of its own: retries, attempt limit, exceptions that mean dead at once, how many run at a time,
 * how many come in a second, a circuit breaker, a time limit. Register the result for one or several event types; they share its limit and its breaker.
 *
 * <pre>{@code
 * registry.register("Order", "OrderPlaced", ControlledListener.of(mailer)
 *     .name("mail")
 *     .maxAttempts(5)
 *     .deadOn(IllegalArgumentException.class)
 *     .concurrency(2)
 *     .circuitBreaker(10, Duration.ofSeconds(30))
 *     .build());
 * }</pre>
 *
 * <p>Thread-safe.
 */
public final class ControlledListener implements EventListener {
    /** Deliveries of one {@link AsyncEventListener} in flight where no limit is given. */
    public static final int DEFAULT_ASYNC_CONCURRENCY = 256;

    /** Asked for at every call. */
    private static final ClassValue<String> CLASS_NAMES = new ClassValue<>() {
        @Override
        protected String computeValue(Class<?> listener) {
            String name = listener.getSimpleName();
            int lambda = name.indexOf("$$Lambda");
            return lambda < 0 ? name : name.substring(0, lambda) + " (lambda)";
        }
    };

    private final EventListener listener;
    private final String name;
    private final @Nullable RetryPolicy retryPolicy;
    private final int maxAttempts;
    private final @Nullable Duration timeLimit;
    private final List<Class<? extends Throwable>> deadOn;
    private final @Nullable ConcurrencyLimit concurrencyLimit;
    private final Rules rules;
    private final CallRules callRules;
    private final LongAdder delivered = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private volatile MetricsExporter reportedTo = MetricsExporter.NOOP;

    /**
     * What was said about a listener, for those who take it to somewhere else than a dispatcher.
     *
     * @param retryPolicy {@code null} if nothing was said
     * @param maxAttempts 0 if nothing was said
     * @param concurrency 0 if nothing was said
     * @param rate {@code null} if nothing was said
     * @param breakerFailures 0 if there is no circuit breaker
     * @param timeLimit {@code null} if nothing was said, zero for none
     */
    public record Rules(
            @Nullable RetryPolicy retryPolicy,
            int maxAttempts,
            List<Class<? extends Throwable>> deadOn,
            int concurrency,
            @Nullable Rate rate,
            int breakerFailures,
            Duration breakerPause,
            @Nullable Duration timeLimit) {
        /** Nothing was said. */
        public static final Rules NONE = new Builder(null).rules();

        /** These rules, changed. */
        public Rules with(Consumer<Builder> change) {
            Builder builder = new Builder(null).rules(this);
            change.accept(builder);
            return builder.rules();
        }
    }

    private ControlledListener(Builder builder, EventListener listener) {
        if (builder.concurrency == 0 && listener instanceof AsyncEventListener) {
            builder.concurrency = DEFAULT_ASYNC_CONCURRENCY;
        }
        this.listener = listener;
        this.name = builder.name == null ? nameOf(listener) : builder.name;
        this.rules = builder.rules();
        this.retryPolicy = rules.retryPolicy();
        this.maxAttempts = rules.maxAttempts();
        this.timeLimit = rules.timeLimit();
        this.deadOn = rules.deadOn();
        this.concurrencyLimit =
                rules.concurrency() == 0 ? null : new ConcurrencyLimit(rules.concurrency(), System::nanoTime);
        this.callRules = new CallRules(name, rules, this::breakerChanged);
    }

    public static Builder of(EventListener listener) {
        return new Builder(Objects.requireNonNull(listener, "listener"));
    }

    /** In messages and metrics: its own name, or that of its class; of a lambda, that of the class it is in. */
    public static String nameOf(EventListener listener) {
        if (listener instanceof ControlledListener control) {
            return control.name();
        }
        return CLASS_NAMES.get(listener.getClass());
    }

    /** Runs the listener itself, without any of the rules: those are the dispatcher's. */
    @Override
    public void onEvent(EventEnvelope event) throws Exception {
        listener.onEvent(event);
    }

    public String name() {
        return name;
    }

    public Rules rules() {
        return rules;
    }

    /** The state of the circuit breaker; {@link BreakerState#CLOSED} for ever if there is none. */
    public BreakerState breakerState() {
        return callRules.breakerState();
    }

    /**
     * Calls the listener no more. Its events wait in the table, no attempt is counted and nothing is lost; calls that run
     * are not disturbed.
     */
    public void pause() {
        callRules.pause();
    }

    /** Ends a {@link #pause()}; events that wait come within some seconds. */
    public void resume() {
        callRules.resume();
    }

    public boolean isPaused() {
        return callRules.isPaused();
    }

    /** Changes of the breaker are reported there from now on. */
    public void reportTo(MetricsExporter metrics) {
        if (reportedTo == MetricsExporter.NOOP) {
            reportedTo = metrics;
        }
    }

    private void breakerChanged(BreakerState state) {
        reportedTo.recordBreakerState(name, state);
    }

    /** Deliveries that succeeded, since it was made. */
    public long delivered() {
        return delivered.sum();
    }

    /** Deliveries that failed; an event that is tried again may fail several times. */
    public long failed() {
        return failed.sum();
    }

    /** How a delivery ended: counted, and told to the breaker, if there is one. */
    public void report(@Nullable Throwable failure, long now) {
        if (failure == null) {
            delivered.increment();
        } else if (!(failure instanceof NotAttemptedException)) {
            failed.increment();
        }
        callRules.report(failure, failure != null && isDeadAtOnce(failure), now);
    }

    /** The listener these rules are about. */
    public EventListener listener() {
        return listener;
    }

    public RetryPolicy retryPolicyOr(RetryPolicy fallback) {
        return retryPolicy == null ? fallback : retryPolicy;
    }

    public int maxAttemptsOr(int fallback) {
        return maxAttempts == 0 ? fallback : maxAttempts;
    }

    public Duration timeLimitOr(Duration fallback) {
        return timeLimit == null ? fallback : timeLimit;
    }

    /** Whether an exception of this kind makes an event dead without further attempts. */
    public boolean isDeadAtOnce(Throwable failure) {
        return deadOn.stream().anyMatch(type -> type.isInstance(failure));
    }

    // ---- for what calls the listener -----------------------------------------------------------------------------

    /** What is asked before each call, all at once. */
    public CallRules callRules() {
        return callRules;
    }

    /** {@code null} if any number of calls may run at the same time. */
    public @Nullable ConcurrencyLimit concurrencyLimit() {
        return concurrencyLimit;
    }

    /** {@code null} if events may come as fast as they do. */
    public @Nullable RateLimit rateLimit() {
        return callRules.rateLimit();
    }

    /** {@code null} if it has none. */
    public @Nullable CircuitBreaker breaker() {
        return callRules.breaker();
    }

    /** @throws IllegalArgumentException if it is negative */
    public static Duration checkedTimeLimit(Duration timeLimit) {
        if (timeLimit.isNegative()) {
            throw new IllegalArgumentException(
                    "timeLimit must not be negative: " + timeLimit + "; use Duration.ZERO for no limit");
        }
        return timeLimit;
    }

    @Override
    public String toString() {
        return name;
    }

    /** Collects the rules of one listener; not thread-safe. */
    public static final class Builder {
        private final @Nullable EventListener listener;
        private @Nullable String name;
        private @Nullable RetryPolicy retryPolicy;
        private int maxAttempts;
        private @Nullable Duration timeLimit;
        private List<Class<? extends Throwable>> deadOn = new ArrayList<>();
        private int concurrency;
        private @Nullable Rate rate;
        private int breakerFailures;
        private Duration breakerPause = Duration.ZERO;

        private Builder(@Nullable EventListener listener) {
            this.listener = listener;
            if (listener instanceof ControlledListener) {
                throw new IllegalArgumentException("listener " + listener + " is controlled already");
            }
        }

        /** All of them, instead of what was said so far. */
        public Builder rules(Rules rules) {
            this.retryPolicy = rules.retryPolicy();
            this.maxAttempts = rules.maxAttempts();
            this.timeLimit = rules.timeLimit();
            this.deadOn = new ArrayList<>(rules.deadOn());
            this.concurrency = rules.concurrency();
            this.rate = rules.rate();
            this.breakerFailures = rules.breakerFailures();
            this.breakerPause = rules.breakerPause();
            return this;
        }

        private Rules rules() {
            return new Rules(
                    retryPolicy,
                    maxAttempts,
                    List.copyOf(deadOn),
                    concurrency,
                    rate,
                    breakerFailures,
                    breakerPause,
                    timeLimit);
        }

        /** The name in metrics and messages; default: the simple class name. */
        public Builder name(String name) {
            this.name = Objects.requireNonNull(name, "name");
            return this;
        }

        /** Default: the dispatcher's. */
        public Builder retryPolicy(RetryPolicy retryPolicy) {
            this.retryPolicy = Objects.requireNonNull(retryPolicy, "retryPolicy");
            return this;
        }

        /** Default: the dispatcher's. */
        public Builder maxAttempts(int maxAttempts) {
            this.maxAttempts = positive("maxAttempts", maxAttempts);
            return this;
        }

        /**
         * How long one call may take, a batch being one; default: the dispatcher's. With {@link Duration#ZERO} there is no
         * limit. See {@code OutboxDispatcher.Builder.timeLimit}.
         */
        public Builder timeLimit(Duration timeLimit) {
            this.timeLimit = checkedTimeLimit(timeLimit);
            return this;
        }

        /** Delays and attempt limit of a named schedule. */
        public Builder retry(RetryPreset preset) {
            return retryPolicy(preset.policy()).maxAttempts(preset.maxAttempts());
        }

        /** Exceptions of this class mean that trying again is useless: the event is dead at once. */
        public Builder deadOn(Class<? extends Throwable> exceptionClass) {
            deadOn.add(Objects.requireNonNull(exceptionClass, "exceptionClass"));
            return this;
        }

        /** Forgets what {@link #deadOn} said. */
        public Builder noDeadOn() {
            deadOn.clear();
            return this;
        }

        /** How many calls run at a time, a batch being one; default: as many as there are workers. */
        public Builder concurrency(int limit) {
            this.concurrency = positive("concurrency", limit);
            return this;
        }

        /**
         * How many events it gets in a time, on each node. Those that come too early wait in the table and no attempt is
         * counted.
         */
        public Builder rateLimit(Rate rate) {
            this.rate = Objects.requireNonNull(rate, "rate");
            return this;
        }

        /**
         * After {@code failures} failures in a row the listener is not called for {@code pause}. Its events wait in the
         * table meanwhile and no attempt is counted. Failures that mean {@link #deadOn dead at once} do not count.
         */
        public Builder circuitBreaker(int failures, Duration pause) {
            this.breakerFailures = positive("failures", failures);
            if (pause.isNegative() || pause.isZero()) {
                throw new IllegalArgumentException("pause must be positive: " + pause);
            }
            this.breakerPause = pause;
            return this;
        }

        /** However often it fails, it is called; this is the default. */
        public Builder noCircuitBreaker() {
            this.breakerFailures = 0;
            return this;
        }

        public ControlledListener build() {
            return new ControlledListener(this, Objects.requireNonNull(listener, "listener"));
        }

        private static int positive(String what, int value) {
            if (value <= 0) {
                throw new IllegalArgumentException(what + " must be positive: " + value);
            }
            return value;
        }
    }
}
