package outbox.domain.handler;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.dispatch.OutboxDispatcher;
import outbox.listener.ControlledListener;
import outbox.util.EventTypePattern;

/**
 * One handler with all its rules resolved.
 *
 * @param origin the method or other source, for messages
 * @param takes the events it handles
 * @param rules as those of a listener, with its retry policy, attempt limit, circuit breaker and time limit, without its
 *     exceptions
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
        ControlledListener.Rules rules,
        int maxBatch,
        boolean transactional) {

    /** The events of a handler: objects of a class, or envelopes by type name. */
    sealed interface Takes {
        record Objects(Class<?> eventClass) implements Takes {}

        record Envelopes(List<EventTypePattern> eventTypes) implements Takes {
            boolean take(String eventType) {
                return eventTypes.stream().anyMatch(pattern -> pattern.matches(eventType));
            }

            boolean overlap(Envelopes other) {
                return eventTypes.stream()
                        .anyMatch(one -> other.eventTypes.stream().anyMatch(one::overlaps));
            }
        }
    }

    /**
     * An event as passed to a handler.
     *
     * @param attempt of this handler, counted from 1
     */
    record Handled(EventEnvelope envelope, @Nullable Object event, int attempt) {}

    /** Calls the user's code with one event, or with several if it takes batches. */
    sealed interface Invocation {
        CompletionStage<?> call(List<Handled> events) throws Exception;

        /** Synchronous: done when it returns. */
        record Returning(Work work) implements Invocation {
            /** The user's. */
            @FunctionalInterface
            interface Work {
                void call(List<Handled> events) throws Exception;
            }

            @Override
            public CompletionStage<?> call(List<Handled> events) throws Exception {
                work.call(events);
                return DONE;
            }
        }

        /** Asynchronous: needs no thread until it is done. */
        record Answering(Request request) implements Invocation {
            /** The user's. */
            @FunctionalInterface
            interface Request {
                CompletionStage<?> call(List<Handled> events) throws Exception;
            }

            @Override
            public CompletionStage<?> call(List<Handled> events) throws Exception {
                return request.call(events);
            }
        }
    }

    static final CompletionStage<?> DONE = CompletableFuture.completedFuture(HandlerResult.DONE);

    boolean answersLater() {
        return invocation instanceof Invocation.Answering;
    }

    /** Maximum number of running calls in its queue. */
    int maxRunning() {
        return rules.concurrency() == 0 ? HandlerOptions.DEFAULT_CONCURRENCY : rules.concurrency();
    }

    Duration timeLimit() {
        Duration own = rules.timeLimit();
        return own == null ? OutboxDispatcher.DEFAULT_TIME_LIMIT : own;
    }

    boolean isKnownAs(String storedName) {
        return name.equals(storedName) || formerNames.contains(storedName);
    }

    @Override
    public String toString() {
        return "'" + name + "' (" + origin + ")";
    }
}
