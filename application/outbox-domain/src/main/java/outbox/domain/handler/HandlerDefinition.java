package outbox.domain.handler;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.domain.handler.Handler.Invocation;
import outbox.domain.handler.Handler.Takes;

/** A handler as it was declared; the builder's defaults and named rules are still missing. */
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
                    + MAX_NAME + " characters and no blanks around");
        }
    }

    Handler resolve(
            Map<String, RetryRule> rules,
            RetryRule defaultRule,
            ExceptionRules defaultExceptions,
            @Nullable Duration defaultTimeLimit) {
        RetryRule named = defaultRule;
        if (retryName != null) {
            named = rules.get(retryName);
            if (named == null) {
                throw new IllegalArgumentException("handler '" + name + "' (" + origin + ") asks for the retry rule '"
                        + retryName + "'; known are " + new java.util.TreeSet<>(rules.keySet()));
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
                maxBatch,
                options.isTransactional(),
                options.breakerFailures(),
                options.breakerPause(),
                options.timeLimit() == null ? defaultTimeLimit : options.timeLimit());
    }
}
