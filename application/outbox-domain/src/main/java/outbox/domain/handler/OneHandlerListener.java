package outbox.domain.handler;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import outbox.AsyncEventListener;
import outbox.BatchEventListener;
import outbox.BatchFailedException;
import outbox.EventEnvelope;

/**
 * Delivers events to a single handler whose outcome is stored in the row: it runs on the dispatcher's worker, and its
 * exception decides the outcome of the row. Thread-safe.
 */
final class OneHandlerListener implements BatchEventListener {
    private final Handler handler;
    private final HandlerRunner runner;

    OneHandlerListener(Handler handler, HandlerRunner runner) {
        this.handler = handler;
        this.runner = runner;
    }

    /** The same for an asynchronous handler. */
    static final class Async implements AsyncEventListener {
        private final HandlerRunner runner;

        Async(HandlerRunner runner) {
            this.runner = runner;
        }

        @Override
        public CompletionStage<?> onEventAsync(EventEnvelope event) {
            HandlerTask task = taskOf(event);
            return runner.run(List.of(task)).thenCompose(ran -> {
                Exception failure = failureOf(task);
                return failure == null ? Handler.DONE : CompletableFuture.failedFuture(failure);
            });
        }
    }

    @Override
    public int maxBatchSize() {
        return handler.maxBatch();
    }

    @Override
    public void onEvents(List<EventEnvelope> events) throws BatchFailedException {
        Map<String, Exception> failures = new HashMap<>();
        for (HandlerTask task : run(events)) {
            Exception failure = failureOf(task);
            if (failure != null) {
                failures.put(task.event().eventId(), failure);
            }
        }
        if (!failures.isEmpty()) {
            throw new BatchFailedException(failures);
        }
    }

    @Override
    public void onEvent(EventEnvelope event) throws Exception {
        Exception failure = failureOf(run(List.of(event)).get(0));
        if (failure != null) {
            throw failure;
        }
    }

    private List<HandlerTask> run(List<EventEnvelope> events) {
        List<HandlerTask> tasks =
                events.stream().map(OneHandlerListener::taskOf).toList();
        var unused = runner.run(tasks); // synchronous: every task has its result
        return tasks;
    }

    /** The row counts the attempts of its only handler. */
    private static HandlerTask taskOf(EventEnvelope event) {
        return new HandlerTask(event, event.attempt() - 1);
    }

    private static @Nullable Exception failureOf(HandlerTask task) {
        HandlerResult result = task.result().join();
        if (result instanceof HandlerResult.Dead dead) {
            return new HandlersFailedException(dead.summary(), dead.error());
        }
        if (!(result instanceof HandlerResult.Retry retry)) {
            return null;
        }
        return retry.error() instanceof Exception exception
                ? exception
                : new ExecutionException(retry.summary(), retry.error());
    }
}
