package outbox.domain.handler;

import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import outbox.NotAttemptedException;
import outbox.RetryAfterException;

/** Keeps account of how calls of one handler end, and completes their tasks. */
interface Ledger {
    /** A call succeeded for these tasks. */
    void succeeded(List<HandlerTask> tasks);

    void failed(HandlerTask task, Throwable failure);

    /** The row is the account: the dispatcher counts its attempts by the handler's rule. */
    record InRow(Handler handler) implements Ledger {
        @Override
        public void succeeded(List<HandlerTask> tasks) {
            tasks.forEach(task -> task.result().complete(HandlerResult.DONE));
        }

        @Override
        public void failed(HandlerTask task, Throwable failure) {
            String summary = "handler '" + handler.name() + "' failed: " + ErrorText.firstLineOf(failure);
            task.result()
                    .complete(
                            !(failure instanceof NotAttemptedException)
                                            && handler.exceptions().isDead(failure)
                                    ? new HandlerResult.Dead(summary, failure)
                                    : new HandlerResult.Retry(Duration.ZERO, summary, failure));
        }
    }

    /** A tracker is the account, which each handler has for itself. */
    record InTracker(Handler handler, OutcomeWriter outcomes, HandlerBreaker breaker, Outage outage, LongSupplier ticks)
            implements Ledger {
        /** How long to wait when the tracker can not be reached. */
        static final Duration TRACKER_PAUSE = Duration.ofSeconds(5);

        @Override
        public void succeeded(List<HandlerTask> tasks) {
            breaker.succeeded(ticks.getAsLong());
            for (HandlerTask task : tasks) {
                if (task.recordSuccess() && !handler.transactional()) {
                    HandlerOutcome done = outcome(task, HandlerState.DONE, Duration.ZERO, null);
                    outcomes.write(
                            done,
                            () -> task.result().complete(HandlerResult.DONE),
                            e -> notStored(task, "succeeded", e));
                } else {
                    task.result().complete(HandlerResult.DONE);
                }
            }
        }

        @Override
        public void failed(HandlerTask task, Throwable failure) {
            if (failure instanceof NotAttemptedException notNow) {
                breaker.undecided(ticks.getAsLong());
                String summary = "handler '" + handler.name() + "' was not called: " + notNow.getMessage();
                task.result().complete(new HandlerResult.Postponed(notNow.delay(), summary, notNow));
                return;
            }
            boolean hopeless = handler.exceptions().isDead(failure);
            if (hopeless) {
                breaker.undecided(ticks.getAsLong());
            } else {
                breaker.failed(ticks.getAsLong());
            }
            int attempt = task.attempts() + 1;
            int limit = handler.retry().maxAttempts();
            boolean dead = hopeless || attempt >= limit;
            Duration delay = dead ? Duration.ZERO : delay(failure, attempt);
            String summary = "handler '" + handler.name() + "' failed, attempt " + attempt + " of " + limit + ": "
                    + ErrorText.firstLineOf(failure);
            HandlerResult result =
                    dead ? new HandlerResult.Dead(summary, failure) : new HandlerResult.Retry(delay, summary, failure);
            outcomes.write(
                    outcome(task, dead ? HandlerState.DEAD : HandlerState.RETRY, delay, failure),
                    () -> task.result().complete(result),
                    e -> {
                        e.addSuppressed(failure);
                        notStored(task, "failed", e);
                    });
        }

        private HandlerOutcome outcome(
                HandlerTask task, HandlerState state, Duration delay, @Nullable Throwable failure) {
            return new HandlerOutcome(
                    task.event().eventId(),
                    handler.name(),
                    state,
                    task.attempts() + 1,
                    delay,
                    failure == null ? null : ErrorText.of(failure));
        }

        private Duration delay(Throwable failure, int attempt) {
            if (failure instanceof RetryAfterException later) {
                return later.delay();
            }
            return Duration.ofMillis(Math.max(0, handler.retry().policy().computeDelayMs(attempt)));
        }

        private void notStored(HandlerTask task, String what, Throwable e) {
            String summary = "handler '" + handler.name() + "' " + what + " on " + task.event()
                    + ", but that could not be stored; it is called again in " + TRACKER_PAUSE.toSeconds() + " s";
            outage.failed(summary, e);
            task.result().complete(new HandlerResult.Postponed(TRACKER_PAUSE, summary, e));
        }
    }
}
