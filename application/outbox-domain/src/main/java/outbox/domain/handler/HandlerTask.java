package outbox.domain.handler;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;

/** One event for one handler. Thread-safe. */
final class HandlerTask {
    private final EventEnvelope event;
    private final int attempts;
    private final boolean recordSuccess;
    private final boolean suspect;
    private final CompletableFuture<HandlerResult> result = new CompletableFuture<>();
    private final AtomicBoolean decided = new AtomicBoolean();
    private volatile @Nullable Throwable timeout;
    private volatile @Nullable CompletionStage<?> answer;

    /**
     * @param attempts calls so far
     * @param recordSuccess whether success must be stored, because the row does not show it
     */
    HandlerTask(EventEnvelope event, int attempts, boolean recordSuccess) {
        this(event, attempts, recordSuccess, false);
    }

    /**
     * @param suspect whether the process may have died during the last call; then the attempt is stored before the next
     *     call
     */
    HandlerTask(EventEnvelope event, int attempts, boolean recordSuccess, boolean suspect) {
        this.event = event;
        this.attempts = attempts;
        this.recordSuccess = recordSuccess;
        this.suspect = suspect;
    }

    EventEnvelope event() {
        return event;
    }

    int attempts() {
        return attempts;
    }

    boolean recordSuccess() {
        return recordSuccess;
    }

    boolean isSuspect() {
        return suspect;
    }

    CompletableFuture<HandlerResult> result() {
        return result;
    }

    /** @return {@code true} for the first caller: the call that returns, or its time limit */
    boolean decide() {
        return decided.compareAndSet(false, true);
    }

    /** The handler was interrupted because it exceeded its time limit. */
    void timedOut(Throwable failure) {
        timeout = failure;
    }

    /** The future of an asynchronous handler; cancelled after the time limit. */
    void answeredBy(CompletionStage<?> stage) {
        answer = stage;
        if (isTimedOut()) {
            cancelAnswer();
        }
    }

    void cancelAnswer() {
        CompletionStage<?> stage = answer;
        answer = null;
        if (stage != null) {
            try {
                stage.toCompletableFuture().cancel(true);
            } catch (UnsupportedOperationException e) { // some stages cannot be cancelled: their result is ignored
                answer = null;
            }
        }
    }

    boolean isTimedOut() {
        return timeout != null;
    }

    /** The cause of the failure: the time limit, if the handler failed because of it. */
    Throwable timeoutOr(Throwable failure) {
        Throwable limit = timeout;
        return limit == null ? failure : limit;
    }
}
