package outbox.domain.handler;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.domain.handler.Handler.Invocation;
import outbox.domain.handler.Handler.Takes;
import outbox.listener.ControlledListener;

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
        RetryRule retry = options.retryOr(named);
        return new Handler(
                name,
                origin,
                takes,
                invocation,
                Set.copyOf(options.formerNames()),
                retry,
                defaultExceptions.with(options),
                rules(retry, defaultTimeLimit, defaultBreakerFailures, defaultBreakerPause),
                maxBatch,
                options.isTransactional());
    }

    private ControlledListener.Rules rules(
            RetryRule retry,
            @Nullable Duration defaultTimeLimit,
            int defaultBreakerFailures,
            Duration defaultBreakerPause) {
        int failures = options.breakerFailuresOr(timesBatch(defaultBreakerFailures));
        Duration pause = options.breakerPauseOr(defaultBreakerPause);
        return options.rules().with(rules -> {
            rules.retryPolicy(retry.policy()).maxAttempts(retry.maxAttempts()).noDeadOn();
            if (failures > 0) {
                rules.circuitBreaker(failures, pause);
            } else {
                rules.noCircuitBreaker();
            }
            if (options.timeLimit() == null && defaultTimeLimit != null) {
                rules.timeLimit(defaultTimeLimit);
            }
        });
    }

    /** A failed batch counts as a failure of each of its events; one alone must not open the circuit breaker. */
    private int timesBatch(int failures) {
        return (int) Math.min(Integer.MAX_VALUE, (long) failures * maxBatch);
    }
}
