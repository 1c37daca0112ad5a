package outbox.domain.handler;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;

/**
 * One handler with all its rules resolved.
 *
 * @param origin the method or what else it comes from, for messages
 * @param takes which events it wants
 * @param concurrency calls at a time; 0 if nothing was said
 * @param maxBatch events in one call; 1 if it takes them one by one
 * @param breakerFailures failures in a row after which it is left alone; 0 for never
 */
record Handler(
        String name,
        String origin,
        Takes takes,
        Invocation invocation,
        Set<String> formerNames,
        RetryRule retry,
        ExceptionRules exceptions,
        int concurrency,
        int maxBatch,
        boolean transactional,
        int breakerFailures,
        Duration breakerPause) {

    /** Which events a handler wants: those of a class, or envelopes of some types, not decoded. */
    sealed interface Takes {
        record Objects(Class<?> eventClass) implements Takes {}

        /** @param eventTypes empty for all types that are registered */
        record Envelopes(Set<String> eventTypes) implements Takes {}
    }

    /** An event as a handler gets it. */
    record Handled(EventEnvelope envelope, @Nullable Object event) {}

    /** Calls the user's code with one event, or with several if it takes batches. */
    @FunctionalInterface
    interface Invocation {
        void call(List<Handled> events) throws Exception;
    }

    /** How many calls run at a time in a lane. */
    int lanes() {
        return concurrency == 0 ? HandlerOptions.DEFAULT_CONCURRENCY : concurrency;
    }

    boolean isKnownAs(String storedName) {
        return name.equals(storedName) || formerNames.contains(storedName);
    }

    @Override
    public String toString() {
        return "'" + name + "' (" + origin + ")";
    }
}
