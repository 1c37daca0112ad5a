package outbox;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/**
 * A listener that does not need a thread while it waits: many events are in flight at once, each settled when its
 * stage completes. How many at most is its concurrency limit ({@code ControlledListener}), not the number of workers;
 * listeners without one share a limit of 1000, and the workers wait when it is reached.
 */
public interface AsyncEventListener extends EventListener {
    /** Starts the delivery. A stage that completes exceptionally is a failed attempt, like an exception thrown. */
    CompletionStage<?> onEventAsync(EventEnvelope event) throws Exception;

    /** Waits for the stage; for callers that know only {@link EventListener}. */
    @Override
    default void onEvent(EventEnvelope event) throws Exception {
        try {
            onEventAsync(event).toCompletableFuture().get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw e;
        }
    }
}
