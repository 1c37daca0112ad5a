package outbox.domain.handler;

import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import outbox.NotAttemptedException;
import outbox.ProcessDiedException;
import outbox.RetryAfterException;
import outbox.listener.CallRules;
import outbox.util.FailureText;
import outbox.util.StoredError;

/** Records the outcomes of one handler's calls, and completes their tasks. */
interface OutcomeRecorder {
    /** A call succeeded for these tasks. */
    void succeeded(List<HandlerTask> tasks);

    void failed(HandlerTask task, Throwable failure);

    /** Like {@link #failed}, while a hung transaction may prevent the outcome from being stored. */
    void abandoned(HandlerTask task, Throwable failure);

    /**
     * The process may have died during the last call of this task: stores the attempt before the next call.
     *
     * @return {@code false} if it must not be called; its task is complete then
     */
    boolean begin(HandlerTask task);

    /** The outcome is stored in the row: the dispatcher counts attempts by the handler's rule. */
    record InRow(Handler handler) implements OutcomeRecorder {
        @Override
        public void succeeded(List<HandlerTask> tasks) {
            tasks.forEach(task -> task.result().complete(HandlerResult.DONE));
        }

        @Override
        public void failed(HandlerTask task, Throwable failure) {
            String summary = "handler '" + handler.name() + "' failed: " + FailureText.firstLineOf(failure);
            task.result()
                    .complete(
                            !(failure instanceof NotAttemptedException)
                                            && handler.exceptions().isDead(failure)
                                    ? new HandlerResult.Dead(summary, failure)
                                    : new HandlerResult.Retry(Duration.ZERO, summary, failure));
        }

        @Override
        public void abandoned(HandlerTask task, Throwable failure) {
            failed(task, failure);
        }

        /** The dispatcher has already stored it in the row. */
        @Override
        public boolean begin(HandlerTask task) {
            return true;
        }
    }

    /** Outcomes are stored in a tracker, separately for each handler. */
    record InTracker(Handler handler, ProgressWriter outcomes, CallRules rules, Outage outage, LongSupplier ticks)
            implements OutcomeRecorder {
        /** Delay when the tracker is unavailable. */
        static final Duration TRACKER_PAUSE = Duration.ofSeconds(5);

        @Override
        public void succeeded(List<HandlerTask> tasks) {
            rules.report(null, false, ticks.getAsLong());
            for (HandlerTask task : tasks) {
                if (handler.transactional()) {
                    task.result().complete(HandlerResult.DONE);
                } else {
                    task.succeeded(() -> storeSuccess(task));
                }
            }
        }

        private void storeSuccess(HandlerTask task) {
            outcomes.write(
                    outcome(task, HandlerState.DONE, Duration.ZERO, null),
                    () -> task.result().complete(HandlerResult.DONE),
                    e -> notStored(task, "succeeded", e));
        }

        @Override
        public void failed(HandlerTask task, Throwable failure) {
            task.didNotSucceed(); // what succeeded is stored first: otherwise it could be called again because of this
            if (failure instanceof NotAttemptedException notNow) {
                rules.report(notNow, false, ticks.getAsLong());
                if (task.isSuspect()) {
                    takeBack(task);
                }
                String summary = "handler '" + handler.name() + "' was not called: " + notNow.getMessage();
                task.result().complete(new HandlerResult.Postponed(notNow.delay(), summary, notNow));
                return;
            }
            Failed failed = count(task, failure);
            outcomes.write(failed.outcome(), () -> task.result().complete(failed.result()), e -> {
                e.addSuppressed(failure);
                notStored(task, "failed", e);
            });
        }

        @Override
        public void abandoned(HandlerTask task, Throwable failure) {
            task.didNotSucceed();
            Failed failed = count(task, failure);
            outcomes.writeApart(failed.outcome());
            task.result().complete(failed.result());
        }

        @Override
        public boolean begin(HandlerTask task) {
            int limit = handler.retry().maxAttempts();
            if (task.attempts() >= limit) {
                String why = "the process died while handler '"
                        + handler.name() + "' was being called with this event, at attempt " + task.attempts() + " of "
                        + limit + ": it is not called again. Find out why the process died (a crash, a kill, out of"
                        + " memory), then replay the event";
                ProcessDiedException died = new ProcessDiedException(why);
                HandlerResult dead = new HandlerResult.Dead(why, died);
                outcomes.write(
                        new HandlerOutcome(
                                task.event().eventId(),
                                handler.name(),
                                HandlerState.DEAD,
                                task.attempts(),
                                Duration.ZERO,
                                StoredError.of(died)),
                        () -> task.result().complete(dead),
                        e -> notStored(task, "failed", e));
                return false;
            }
            try {
                outcomes.writeNow(retry(task, task.attempts() + 1));
                return true;
            } catch (RuntimeException e) {
                notStored(task, "is to be called", e);
                return false;
            }
        }

        /** The handler was not called. */
        private void takeBack(HandlerTask task) {
            try {
                outcomes.writeNow(retry(task, task.attempts()));
            } catch (RuntimeException e) {
                outage.failed("the count of attempts of handler '" + handler.name() + "' could not be reset", e);
            }
        }

        private HandlerOutcome retry(HandlerTask task, int attempts) {
            return new HandlerOutcome(
                    task.event().eventId(),
                    handler.name(),
                    HandlerState.RETRY,
                    attempts,
                    Duration.ZERO,
                    "the process that called this handler ended before the handler did");
        }

        /** A failed attempt: the stored outcome and the result for the event. */
        private record Failed(HandlerOutcome outcome, HandlerResult result) {}

        private Failed count(HandlerTask task, Throwable failure) {
            boolean hopeless = handler.exceptions().isDead(failure);
            rules.report(failure, hopeless, ticks.getAsLong());
            int attempt = task.attempts() + 1;
            int limit = handler.retry().maxAttempts();
            boolean dead = hopeless || attempt >= limit;
            Duration delay = dead ? Duration.ZERO : delay(failure, attempt);
            String summary = "handler '" + handler.name() + "' failed, attempt " + attempt + " of " + limit + ": "
                    + FailureText.firstLineOf(failure);
            HandlerResult result =
                    dead ? new HandlerResult.Dead(summary, failure) : new HandlerResult.Retry(delay, summary, failure);
            return new Failed(outcome(task, dead ? HandlerState.DEAD : HandlerState.RETRY, delay, failure), result);
        }

        private HandlerOutcome outcome(
                HandlerTask task, HandlerState state, Duration delay, @Nullable Throwable failure) {
            return new HandlerOutcome(
                    task.event().eventId(),
                    handler.name(),
                    state,
                    task.attempts() + 1,
                    delay,
                    failure == null ? null : StoredError.of(failure));
        }

        private Duration delay(Throwable failure, int attempt) {
            if (failure instanceof RetryAfterException later) {
                return later.delay();
            }
            return Duration.ofMillis(Math.max(0, handler.retry().policy().computeDelayMs(attempt)));
        }

        /** While the tracker is away nothing counts. If it refuses this event alone, its attempts have an end. */
        private void notStored(HandlerTask task, String what, Throwable e) {
            String summary = "handler '" + handler.name() + "' " + what + " on " + task.event()
                    + ", but that could not be stored";
            int limit = handler.retry().maxAttempts();
            if (outcomes.refusals(task.event().eventId(), handler.name()) >= limit) {
                String why = summary + ", " + limit + " times, while the progress of other events could: look for what"
                        + " refuses it, then replay the event";
                task.result().complete(new HandlerResult.Dead(why, e));
                return;
            }
            String then = summary + "; it is called again in " + TRACKER_PAUSE.toSeconds() + " s";
            outage.failed(then, e);
            task.result().complete(new HandlerResult.Postponed(TRACKER_PAUSE, then, e));
        }
    }
}
