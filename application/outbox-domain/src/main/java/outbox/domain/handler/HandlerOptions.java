package outbox.domain.handler;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import outbox.dispatch.RetryPolicy;
import outbox.listener.ControlledListener;
import outbox.listener.Rate;

/**
 * Options of a handler without annotation, with the same meaning as in {@link EventHandler}. Immutable: every method
 * returns a changed copy.
 *
 * <pre>{@code
 * HandlerOptions.DEFAULT.retry(RetryRule.of(RetryPreset.OUTBOUND)).concurrency(2)
 * }</pre>
 */
public final class HandlerOptions {
    /** Default concurrency limit with a tracker. */
    public static final int DEFAULT_CONCURRENCY = 4;
    /** Default batch size. */
    public static final int DEFAULT_BATCH = 100;
    /** Consecutive failures that open the circuit breaker by default: more than one event has attempts. */
    public static final int DEFAULT_BREAKER_FAILURES = 50;
    /** How long the circuit breaker stays open by default. */
    public static final Duration DEFAULT_BREAKER_PAUSE = Duration.ofSeconds(10);

    public static final HandlerOptions DEFAULT = new HandlerOptions();

    private @Nullable RetryRule retry;
    /** Those of a route's listener, and what was changed. The other fields are what handlers have beyond listeners. */
    private ControlledListener.Rules rules = ControlledListener.Rules.NONE;

    private List<Class<? extends Throwable>> deadOn = List.of();
    private List<Class<? extends Throwable>> retryOn = List.of();
    private boolean transactional;
    private List<String> formerNames = List.of();
    private int breakerFailures = EventHandler.DEFAULT_BREAKER;
    private @Nullable Duration breakerPause;

    private HandlerOptions() {}

    private HandlerOptions with(Consumer<HandlerOptions> change) {
        HandlerOptions copy = new HandlerOptions();
        copy.retry = retry;
        copy.rules = rules;
        copy.deadOn = deadOn;
        copy.retryOn = retryOn;
        copy.transactional = transactional;
        copy.formerNames = formerNames;
        copy.breakerFailures = breakerFailures;
        copy.breakerPause = breakerPause;
        change.accept(copy);
        return copy;
    }

    public HandlerOptions retry(RetryRule rule) {
        Objects.requireNonNull(rule, "rule");
        return with(copy -> copy.retry = rule);
    }

    public HandlerOptions maxAttempts(int attempts) {
        return with(copy -> copy.rules = rules.with(builder -> builder.maxAttempts(attempts)));
    }

    /** Adds one. */
    public HandlerOptions deadOn(Class<? extends Throwable> exceptionClass) {
        return with(copy -> copy.deadOn = plus(deadOn, exceptionClass));
    }

    /** Adds one. */
    public HandlerOptions retryOn(Class<? extends Throwable> exceptionClass) {
        return with(copy -> copy.retryOn = plus(retryOn, exceptionClass));
    }

    public HandlerOptions concurrency(int limit) {
        return with(copy -> copy.rules = rules.with(builder -> builder.concurrency(limit)));
    }

    /** See {@link EventHandler#rateLimit()}. */
    public HandlerOptions rateLimit(Rate limit) {
        Objects.requireNonNull(limit, "limit");
        return with(copy -> copy.rules = rules.with(builder -> builder.rateLimit(limit)));
    }

    public HandlerOptions transactional() {
        return with(copy -> copy.transactional = true);
    }

    public HandlerOptions formerNames(String... names) {
        List<String> former = List.of(names);
        return with(copy -> copy.formerNames = former);
    }

    /**
     * After {@code failures} consecutive failures the circuit breaker opens for {@code pause}. Default: {@link
     * EventHandlersBuilder#defaultCircuitBreaker}.
     */
    public HandlerOptions circuitBreaker(int failures, Duration pause) {
        positive("failures", failures);
        return breakerPause(pause).with(copy -> copy.breakerFailures = failures);
    }

    /** However often it fails, it is called. */
    public HandlerOptions noCircuitBreaker() {
        return with(copy -> copy.breakerFailures = 0);
    }

    /** The one of {@link EventHandlersBuilder#defaultCircuitBreaker}, whatever was set before. */
    public HandlerOptions defaultCircuitBreaker() {
        return with(copy -> {
            copy.breakerFailures = EventHandler.DEFAULT_BREAKER;
            copy.breakerPause = null;
        });
    }

    private HandlerOptions breakerPause(Duration pause) {
        if (pause.isNegative() || pause.isZero()) {
            throw new IllegalArgumentException("pause must be positive: " + pause);
        }
        return with(copy -> copy.breakerPause = pause);
    }

    /**
     * Time limit of one call, which may be a batch; {@link Duration#ZERO} for no limit. Default: the builder's. See
     * {@link EventHandler#timeLimitSeconds()}.
     */
    public HandlerOptions timeLimit(Duration limit) {
        return with(copy -> copy.rules = rules.with(builder -> builder.timeLimit(limit)));
    }

    static HandlerOptions of(EventHandler annotation) {
        HandlerOptions options = DEFAULT.formerNames(annotation.formerNames());
        for (Class<? extends Throwable> exceptionClass : annotation.deadOn()) {
            options = options.deadOn(exceptionClass);
        }
        for (Class<? extends Throwable> exceptionClass : annotation.retryOn()) {
            options = options.retryOn(exceptionClass);
        }
        if (annotation.maxAttempts() != 0) {
            options = options.maxAttempts(annotation.maxAttempts());
        }
        if (annotation.concurrency() != 0) {
            options = options.concurrency(annotation.concurrency());
        }
        if (!annotation.rateLimit().isEmpty()) {
            options = options.rateLimit(Rate.parse(annotation.rateLimit()));
        }
        if (annotation.breakerPauseSeconds() != EventHandler.DEFAULT_BREAKER) {
            options = options.breakerPause(Duration.ofSeconds(annotation.breakerPauseSeconds()));
        }
        int failures = annotation.breakerFailures();
        if (failures != EventHandler.DEFAULT_BREAKER) {
            if (failures < 0) {
                throw new IllegalArgumentException("breakerFailures must not be negative: " + failures);
            }
            options = options.with(copy -> copy.breakerFailures = failures);
        }
        if (annotation.timeLimitSeconds() != EventHandler.DEFAULT_TIME_LIMIT) {
            options = options.timeLimit(Duration.ofSeconds(annotation.timeLimitSeconds()));
        }
        return annotation.transactional() ? options.transactional() : options;
    }

    static HandlerOptions of(ControlledListener.Rules rules) {
        return DEFAULT.with(copy -> {
            copy.rules = rules;
            copy.deadOn = rules.deadOn();
            if (rules.breakerFailures() > 0) {
                copy.breakerFailures = rules.breakerFailures();
                copy.breakerPause = rules.breakerPause();
            }
        });
    }

    RetryRule retryOr(RetryRule fallback) {
        RetryRule rule = retry == null ? fallback : retry;
        RetryPolicy policy = rules.retryPolicy();
        if (retry == null && policy != null) {
            rule = new RetryRule(policy, fallback.maxAttempts());
        }
        return rules.maxAttempts() == 0 ? rule : rule.withMaxAttempts(rules.maxAttempts());
    }

    /** Without those that handlers resolve by themselves: retries, exceptions, circuit breaker. */
    ControlledListener.Rules rules() {
        return rules;
    }

    List<Class<? extends Throwable>> deadOn() {
        return deadOn;
    }

    List<Class<? extends Throwable>> retryOn() {
        return retryOn;
    }

    /** 0 if not set. */
    int concurrency() {
        return rules.concurrency();
    }

    boolean isTransactional() {
        return transactional;
    }

    List<String> formerNames() {
        return formerNames;
    }

    int breakerFailuresOr(int fallback) {
        return breakerFailures == EventHandler.DEFAULT_BREAKER ? fallback : breakerFailures;
    }

    /** {@code null} if not set. */
    @Nullable
    Duration timeLimit() {
        return rules.timeLimit();
    }

    Duration breakerPauseOr(Duration fallback) {
        return breakerPause == null ? fallback : breakerPause;
    }

    private static <T> List<T> plus(List<T> some, T more) {
        List<T> all = new ArrayList<>(some);
        all.add(Objects.requireNonNull(more));
        return List.copyOf(all);
    }

    private static void positive(String what, int value) {
        if (value <= 0) {
            throw new IllegalArgumentException(what + " must be positive: " + value);
        }
    }
}
