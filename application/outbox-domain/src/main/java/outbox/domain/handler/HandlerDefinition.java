package outbox.domain.handler;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.domain.handler.Handler.Invocation;
import outbox.domain.handler.Handler.Takes;

/** A declared handler, before the builder's defaults and named rules are applied. */
record HandlerDefinition(
        String name,
        String origin,
        Takes takes,
        Invocation invocation,
        HandlerOptions options,
        int maxBatch,
        @Nullable String retryName) {
    private static final int MAX_NAME = 128;

    HandlerDefinition {
        if (name.isBlank() || name.length() > MAX_NAME || !name.equals(name.strip())) {
            throw new IllegalArgumentException("name of handler " + origin + " is '" + name + "'; it must have 1 to "
                    + MAX_NAME + " characters and no leading or trailing blanks");
        }
    }

    Handler resolve(
            Map<String, RetryRule> rules,
            RetryRule defaultRule,
            ExceptionRules defaultExceptions,
            @Nullable Duration defaultTimeLimit,
            int defaultBreakerFailures,
            Duration defaultBreakerPause) {
        RetryRule named = defaultRule;
        if (retryName != null) {
            named = rules.get(retryName);
            if (named == null) {
                throw new IllegalArgumentException(
                        "handler '" + name + "' (" + origin + ") refers to the unknown retry rule '" + retryName
                                + "'; known are " + new java.util.TreeSet<>(rules.keySet()));
            }
        }
        return new Handler(
                name,
                origin,
                takes,
                invocation,
                Set.copyOf(options.formerNames()),
                options.retryOr(named),
                defaultExceptions.with(options),
                options.concurrency(),
                options.rate(),
                maxBatch,
                options.isTransactional(),
                options.breakerFailuresOr(timesBatch(defaultBreakerFailures)),
                options.breakerPauseOr(defaultBreakerPause),
                options.timeLimit() == null ? defaultTimeLimit : options.timeLimit());
    }

    /** A failed batch counts as a failure of each of its events; one alone must not open the circuit breaker. */
    private int timesBatch(int failures) {
        return (int) Math.min(Integer.MAX_VALUE, (long) failures * maxBatch);
    }
}
