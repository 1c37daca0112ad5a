package outbox.domain.handler;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import outbox.AsyncEventListener;
import outbox.EventEnvelope;
import outbox.RetryAfterException;

/** Brings events to a handler that has no other account than the row: what it answers is the row's outcome. */
final class OneHandlerListener implements AsyncEventListener {
    private final HandlerLane lane;

    OneHandlerListener(HandlerLane lane) {
        this.lane = lane;
    }

    @Override
    public CompletionStage<?> onEventAsync(EventEnvelope event) {
        return lane.submit(new HandlerTask(event, 0, false)).thenCompose(OneHandlerListener::outcome);
    }

    private static CompletionStage<?> outcome(HandlerResult result) {
        if (result instanceof HandlerResult.Retry retry) {
            return CompletableFuture.failedFuture(retry.error());
        } else if (result instanceof HandlerResult.Dead dead) {
            return CompletableFuture.failedFuture(new EventGivenUpException(dead.summary(), dead.error()));
        } else if (result instanceof HandlerResult.Postponed postponed) {
            return CompletableFuture.failedFuture(
                    new RetryAfterException(postponed.delay(), postponed.summary(), postponed.cause()));
        }
        return CompletableFuture.completedFuture(result);
    }
}
