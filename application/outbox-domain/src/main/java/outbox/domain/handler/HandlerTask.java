package outbox.domain.handler;

import java.util.concurrent.CompletableFuture;
import outbox.EventEnvelope;

/**
 * One event on its way to one handler.
 *
 * @param attempts calls so far
 * @param recordSuccess whether a success must be stored: nothing else would tell of it
 */
record HandlerTask(EventEnvelope event, int attempts, boolean recordSuccess, CompletableFuture<HandlerResult> result) {
    HandlerTask(EventEnvelope event, int attempts, boolean recordSuccess) {
        this(event, attempts, recordSuccess, new CompletableFuture<>());
    }
}
