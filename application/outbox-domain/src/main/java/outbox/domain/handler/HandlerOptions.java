package outbox.domain.handler;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import outbox.dispatch.RetryPolicy;
import outbox.listener.ControlledListener;

/**
 * How a handler without annotation is to be treated; each part means the same as in {@link EventHandler}. Immutable: every
 * method returns a changed copy.
 *
 * <pre>{@code
 * HandlerOptions.DEFAULT.retry(RetryRule.of(RetryPreset.OUTBOUND)).concurrency(2)
 * }</pre>
 */
public final class HandlerOptions {
    /** Calls of one handler at a time where a tracker keeps account and nothing else is said. */
    public static final int DEFAULT_CONCURRENCY = 4;
    /** Events in one call of a batch handler where nothing else is said. */
    public static final int DEFAULT_BATCH = 100;
    /** How long a handler is left alone that failed too often in a row. */
    public static final Duration DEFAULT_BREAKER_PAUSE = Duration.ofSeconds(30);

    public static final HandlerOptions DEFAULT = new HandlerOptions();

    private @Nullable RetryRule retry;
    private @Nullable RetryPolicy policy; // instead of that of retry
    private int maxAttempts;
    private List<Class<? extends Throwable>> deadOn = List.of();
    private List<Class<? extends Throwable>> retryOn = List.of();
    private int concurrency;
    private boolean transactional;
    private List<String> formerNames = List.of();
    private int breakerFailures;
    private Duration breakerPause = DEFAULT_BREAKER_PAUSE;
    private @Nullable Duration timeLimit;

    private HandlerOptions() {}

    private HandlerOptions with(Consumer<HandlerOptions> change) {
        HandlerOptions copy = new HandlerOptions();
        copy.retry = retry;
        copy.policy = policy;
        copy.maxAttempts = maxAttempts;
        copy.deadOn = deadOn;
        copy.retryOn = retryOn;
        copy.concurrency = concurrency;
        copy.transactional = transactional;
        copy.formerNames = formerNames;
        copy.breakerFailures = breakerFailures;
        copy.breakerPause = breakerPause;
        copy.timeLimit = timeLimit;
        change.accept(copy);
        return copy;
    }

    public HandlerOptions retry(RetryRule rule) {
        Objects.requireNonNull(rule, "rule");
        return with(copy -> {
            copy.retry = rule;
            copy.policy = null;
        });
    }

    public HandlerOptions maxAttempts(int attempts) {
        positive("maxAttempts", attempts);
        return with(copy -> copy.maxAttempts = attempts);
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
        positive("concurrency", limit);
        return with(copy -> copy.concurrency = limit);
    }

    public HandlerOptions transactional() {
        return with(copy -> copy.transactional = true);
    }

    public HandlerOptions formerNames(String... names) {
        List<String> former = List.of(names);
        return with(copy -> copy.formerNames = former);
    }

    /** After {@code failures} failures in a row the handler is left alone for {@code pause}. */
    public HandlerOptions circuitBreaker(int failures, Duration pause) {
        positive("failures", failures);
        if (pause.isNegative() || pause.isZero()) {
            throw new IllegalArgumentException("pause must be positive: " + pause);
        }
        return with(copy -> {
            copy.breakerFailures = failures;
            copy.breakerPause = pause;
        });
    }

    /**
     * How long one call may take, a batch being one; {@link Duration#ZERO} for no limit. Default: the builder's. See
     * {@link EventHandler#timeLimitSeconds()}.
     */
    public HandlerOptions timeLimit(Duration limit) {
        if (limit.isNegative()) {
            throw new IllegalArgumentException(
                    "timeLimit must not be negative: " + limit + "; use Duration.ZERO for no limit");
        }
        return with(copy -> copy.timeLimit = limit);
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
        if (annotation.breakerFailures() != 0) {
            options = options.circuitBreaker(
                    annotation.breakerFailures(), Duration.ofSeconds(annotation.breakerPauseSeconds()));
        }
        if (annotation.timeLimitSeconds() != EventHandler.DEFAULT_TIME_LIMIT) {
            options = options.timeLimit(Duration.ofSeconds(annotation.timeLimitSeconds()));
        }
        return annotation.transactional() ? options.transactional() : options;
    }

    static HandlerOptions of(ControlledListener.Rules rules) {
        return DEFAULT.with(copy -> {
            copy.policy = rules.retryPolicy();
            copy.maxAttempts = rules.maxAttempts();
            copy.deadOn = rules.deadOn();
            copy.concurrency = rules.concurrency();
            copy.timeLimit = rules.timeLimit();
            copy.breakerFailures = rules.breakerFailures();
            copy.breakerPause = rules.breakerFailures() == 0 ? DEFAULT_BREAKER_PAUSE : rules.breakerPause();
        });
    }

    RetryRule retryOr(RetryRule fallback) {
        RetryRule rule = retry == null ? fallback : retry;
        if (policy != null) {
            rule = new RetryRule(policy, rule.maxAttempts());
        }
        return maxAttempts == 0 ? rule : rule.withMaxAttempts(maxAttempts);
    }

    List<Class<? extends Throwable>> deadOn() {
        return deadOn;
    }

    List<Class<? extends Throwable>> retryOn() {
        return retryOn;
    }

    /** 0 if nothing was said. */
    int concurrency() {
        return concurrency;
    }

    boolean isTransactional() {
        return transactional;
    }

    List<String> formerNames() {
        return formerNames;
    }

    int breakerFailures() {
        return breakerFailures;
    }

    /** {@code null} if nothing was said. */
    @Nullable
    Duration timeLimit() {
        return timeLimit;
    }

    Duration breakerPause() {
        return breakerPause;
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
