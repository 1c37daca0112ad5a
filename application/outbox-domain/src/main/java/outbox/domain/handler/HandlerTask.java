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
    private final boolean suspect;
    private final @Nullable PassResults pass;
    private final CompletableFuture<HandlerResult> result = new CompletableFuture<>();
    private final AtomicBoolean decided = new AtomicBoolean();
    private volatile @Nullable Throwable timeout;
    private volatile @Nullable CompletionStage<?> answer;

    /**
     * Of a handler without progress of its own: the row is its state.
     *
     * @param attempts calls so far
     */
    HandlerTask(EventEnvelope event, int attempts) {
        this(event, attempts, false, null);
    }

    /**
     * @param suspect whether the process may have died during the last call; then the attempt is stored before the next
     *     call
     * @param pass the delivery it is part of; {@code null} if success need not be stored
     */
    HandlerTask(EventEnvelope event, int attempts, boolean suspect, @Nullable PassResults pass) {
        this.event = event;
        this.attempts = attempts;
        this.suspect = suspect;
        this.pass = pass;
    }

    EventEnvelope event() {
        return event;
    }

    int attempts() {
        return attempts;
    }

    /**
     * The handler succeeded.
     *
     * @param store stores that, and completes the result
     */
    void succeeded(Runnable store) {
        if (pass == null) {
            result.complete(HandlerResult.DONE);
        } else {
            pass.succeeded(this, store);
        }
    }

    /** The row's outcome will not say that this handler succeeded: other handlers of the event are to be stored too. */
    void didNotSucceed() {
        if (pass != null) {
            pass.storeAtOnce();
        }
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
