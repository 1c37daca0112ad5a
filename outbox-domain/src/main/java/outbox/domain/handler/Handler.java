package outbox.domain.handler;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;

/**
 * One handler with all its rules resolved.
 *
 * @param origin the method or what else it comes from, for messages
 * @param takes which events it wants
 * @param maxBatch events in one call; 1 if it takes them one by one
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
        boolean transactional) {

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

    boolean isKnownAs(String storedName) {
        return name.equals(storedName) || formerNames.contains(storedName);
    }

    @Override
    public String toString() {
        return "'" + name + "' (" + origin + ")";
    }
}
