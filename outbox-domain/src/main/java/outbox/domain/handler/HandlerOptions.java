package outbox.domain.handler;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a handler without annotation is to be treated; each part means the same as in {@link EventHandler}. Immutable.
 *
 * <pre>{@code
 * HandlerOptions.DEFAULT.retry(RetryRule.of(RetryPreset.OUTBOUND)).concurrency(2)
 * }</pre>
 */
public final class HandlerOptions {
    /** Calls of one handler at a time where nothing else is said. */
    public static final int DEFAULT_CONCURRENCY = 4;
    /** Events in one call of a batch handler where nothing else is said. */
    public static final int DEFAULT_BATCH = 100;

    public static final HandlerOptions DEFAULT =
            new HandlerOptions(null, 0, List.of(), List.of(), DEFAULT_CONCURRENCY, false, List.of());

    private final @Nullable RetryRule retry;
    private final int maxAttempts;
    private final List<Class<? extends Throwable>> deadOn;
    private final List<Class<? extends Throwable>> retryOn;
    private final int concurrency;
    private final boolean transactional;
    private final List<String> formerNames;

    private HandlerOptions(
            @Nullable RetryRule retry,
            int maxAttempts,
            List<Class<? extends Throwable>> deadOn,
            List<Class<? extends Throwable>> retryOn,
            int concurrency,
            boolean transactional,
            List<String> formerNames) {
        this.retry = retry;
        this.maxAttempts = maxAttempts;
        this.deadOn = deadOn;
        this.retryOn = retryOn;
        this.concurrency = concurrency;
        this.transactional = transactional;
        this.formerNames = formerNames;
    }

    public HandlerOptions retry(RetryRule rule) {
        return new HandlerOptions(rule, maxAttempts, deadOn, retryOn, concurrency, transactional, formerNames);
    }

    public HandlerOptions maxAttempts(int attempts) {
        return new HandlerOptions(
                retry, positive("maxAttempts", attempts), deadOn, retryOn, concurrency, transactional, formerNames);
    }

    /** Adds one. */
    public HandlerOptions deadOn(Class<? extends Throwable> exceptionClass) {
        return new HandlerOptions(
                retry, maxAttempts, plus(deadOn, exceptionClass), retryOn, concurrency, transactional, formerNames);
    }

    /** Adds one. */
    public HandlerOptions retryOn(Class<? extends Throwable> exceptionClass) {
        return new HandlerOptions(
                retry, maxAttempts, deadOn, plus(retryOn, exceptionClass), concurrency, transactional, formerNames);
    }

    private static <T> List<T> plus(List<T> some, T more) {
        List<T> all = new ArrayList<>(some);
        all.add(Objects.requireNonNull(more));
        return List.copyOf(all);
    }

    public HandlerOptions concurrency(int limit) {
        return new HandlerOptions(
                retry, maxAttempts, deadOn, retryOn, positive("concurrency", limit), transactional, formerNames);
    }

    public HandlerOptions transactional() {
        return new HandlerOptions(retry, maxAttempts, deadOn, retryOn, concurrency, true, formerNames);
    }

    public HandlerOptions formerNames(String... names) {
        return new HandlerOptions(retry, maxAttempts, deadOn, retryOn, concurrency, transactional, List.of(names));
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
        return annotation.transactional() ? options.transactional() : options;
    }

    RetryRule retryOr(RetryRule fallback) {
        RetryRule rule = retry == null ? fallback : retry;
        return maxAttempts == 0 ? rule : rule.withMaxAttempts(maxAttempts);
    }

    List<Class<? extends Throwable>> deadOn() {
        return deadOn;
    }

    List<Class<? extends Throwable>> retryOn() {
        return retryOn;
    }

    int concurrency() {
        return concurrency;
    }

    boolean isTransactional() {
        return transactional;
    }

    List<String> formerNames() {
        return formerNames;
    }

    private static int positive(String what, int value) {
        if (value <= 0) {
            throw new IllegalArgumentException(what + " must be positive: " + value);
        }
        return value;
    }
}
