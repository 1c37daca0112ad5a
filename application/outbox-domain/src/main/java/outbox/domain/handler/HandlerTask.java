package outbox.domain.handler;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;

/** One event on its way to one handler. Thread-safe. */
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
     * @param recordSuccess whether a success must be stored: nothing else would tell of it
     */
    HandlerTask(EventEnvelope event, int attempts, boolean recordSuccess) {
        this(event, attempts, recordSuccess, false);
    }

    /** @param suspect whether its last call may have ended with its process; then the next one is stored before it is made */
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

    /** @return {@code true} for the first who knows how this ends: the call that returns, or its time limit */
    boolean decide() {
        return decided.compareAndSet(false, true);
    }

    /** The handler was interrupted because its time limit was reached. */
    void timedOut(Throwable failure) {
        timeout = failure;
    }

    /** What the handler answered with; cancelled if it takes too long. */
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
            } catch (UnsupportedOperationException e) { // some stages cannot: whatever comes of it is ignored
                answer = null;
            }
        }
    }

    boolean isTimedOut() {
        return timeout != null;
    }

    /** What it failed of: its time limit, if that is why the handler failed. */
    Throwable timeoutOr(Throwable failure) {
        Throwable limit = timeout;
        return limit == null ? failure : limit;
    }
}
