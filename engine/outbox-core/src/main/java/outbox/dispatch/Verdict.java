package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import outbox.NotAttemptedException;
import outbox.ProcessDiedException;
import outbox.RetryAfterException;
import outbox.UnreadablePayloadException;
import outbox.listener.ControlledListener;
import outbox.spi.FailedDelivery;
import outbox.spi.FailureListener;
import outbox.spi.Settlement;
import outbox.util.StoredError;

/** Decides what becomes of an event after its listener returned or threw, and reports failed attempts. Thread-safe. */
final class Verdict {
    private static final Logger LOG = System.getLogger(Verdict.class.getName());
    /** Causes may form a ring. */
    private static final int MOST_CAUSES = 20;
    /** For a retry policy that fails itself. */
    private static final Duration FALLBACK_DELAY = Duration.ofSeconds(60);
    /** For a listener that called nobody and says no time: it must not be asked again and again without a pause. */
    private static final Duration SHORTEST_WAIT = Duration.ofMillis(100);
    /** Stores add the delay to their clock, and clocks end. */
    private static final Duration LONGEST_DELAY = Duration.ofDays(36_500);

    private final RetryPolicy retryPolicy;
    private final int maxAttempts;
    private final CompletionMode completionMode;
    private final FailureListener failures;
    private final LongSupplier ticks;

    Verdict(
            RetryPolicy retryPolicy,
            int maxAttempts,
            CompletionMode completionMode,
            FailureListener failures,
            LongSupplier ticks) {
        this.retryPolicy = retryPolicy;
        this.maxAttempts = maxAttempts;
        this.completionMode = completionMode;
        this.failures = failures;
        this.ticks = ticks;
    }

    /**
     * A listener returned or threw.
     *
     * @param control the listener's own rules, which go before those of the dispatcher
     * @param interrupting whether workers are being interrupted: a listener that ends by that was not attempted
     */
    Settlement ended(
            Delivery delivery,
            @Nullable ControlledListener control,
            @Nullable Throwable failure,
            boolean interrupting) {
        if (control != null) {
            control.report(failure, ticks.getAsLong());
        }
        if (interrupting && failure instanceof InterruptedException) {
            return new Settlement.Release(delivery.eventId(), delivery.attempts());
        }
        return failure == null || failure instanceof NotAttemptedException
                ? on(delivery, control, failure)
                : failed(delivery, control, failure);
    }

    /** An attempt failed, and this is reported. */
    Settlement failed(Delivery delivery, @Nullable ControlledListener control, Throwable failure) {
        Settlement settlement = on(delivery, control, failure);
        report(delivery, delivery.attempts() + 1, failure, settlement);
        return settlement;
    }

    /** The last attempt ended with its process. */
    Settlement diedWithItsProcess(Delivery delivery) {
        int attempts = delivery.attempts();
        ProcessDiedException died = new ProcessDiedException("the process died while it was delivering this event, at"
                + " attempt " + attempts + ", the last one: the event is not delivered again. Look for what ended the"
                + " process (a crash, a kill, out of memory), then replay the event");
        Settlement dead = new Settlement.Dead(delivery.eventId(), attempts, StoredError.of(died));
        report(delivery, attempts, died, dead);
        return dead;
    }

    private void report(Delivery delivery, int attempt, Throwable failure, Settlement outcome) {
        try {
            failures.failed(new FailedDelivery(
                    delivery.envelope(),
                    attempt,
                    delivery.owner(),
                    delivery.sinceCall(ticks.getAsLong()),
                    failure,
                    outcome));
        } catch (Throwable e) { // a listener of the user's own
            LOG.log(Level.WARNING, "failure listener failed at event " + delivery.eventId() + "; ignored", e);
        }
    }

    /** What the rules say, without a report. */
    Settlement on(Delivery delivery, @Nullable ControlledListener control, @Nullable Throwable failure) {
        String eventId = delivery.eventId();
        if (failure == null) {
            return completionMode == CompletionMode.DELETE
                    ? new Settlement.Delete(eventId)
                    : new Settlement.Done(eventId);
        }
        if (failure instanceof NotAttemptedException notAttempted) {
            return new Settlement.Release(eventId, delivery.attempts(), waitFor(notAttempted.delay()));
        }
        int attempt = delivery.attempts() + 1;
        try {
            if (isHopeless(delivery, control, failure) || attempt >= attemptLimit(control)) {
                return new Settlement.Dead(eventId, attempt, StoredError.of(failure));
            }
            return new Settlement.Retry(
                    eventId, attempt, bounded(delay(control, failure, attempt)), StoredError.of(failure));
        } catch (Throwable e) { // a policy, a predicate or an exception class of the user's own
            LOG.log(Level.ERROR, "the rules for failures failed themselves on event " + eventId, e);
            String error = failure.getClass().getName();
            return attempt >= maxAttempts
                    ? new Settlement.Dead(eventId, attempt, error)
                    : new Settlement.Retry(eventId, attempt, FALLBACK_DELAY, error);
        }
    }

    /** Whether a suspect delivery was attempted as often as it may be: the last time its process died. */
    boolean isUsedUp(Delivery delivery, @Nullable ControlledListener control) {
        return delivery.attempts() >= attemptLimit(control);
    }

    /** Whether the event is dead if this attempt fails. */
    boolean isLastAttempt(Delivery delivery, @Nullable ControlledListener control) {
        return delivery.attempts() + 1 >= attemptLimit(control);
    }

    private static Duration waitFor(Duration delay) {
        return delay.compareTo(SHORTEST_WAIT) < 0 ? SHORTEST_WAIT : bounded(delay);
    }

    private static Duration bounded(Duration delay) {
        return delay.compareTo(LONGEST_DELAY) > 0 ? LONGEST_DELAY : delay;
    }

    private static boolean isHopeless(Delivery delivery, @Nullable ControlledListener control, Throwable failure) {
        return failure instanceof UnroutableEventException
                || (!delivery.isFailureShared()
                        && !(failure instanceof RetryAfterException) // who throws it has decided
                        && isUnreadable(failure))
                || (control != null && !delivery.isFailureShared() && control.isDeadAtOnce(failure));
    }

    /** Whether the payload can never be read; listeners wrap what they get from it. */
    private static boolean isUnreadable(Throwable failure) {
        Throwable cause = failure;
        for (int depth = 0; cause != null && depth < MOST_CAUSES; depth++) {
            if (cause instanceof UnreadablePayloadException) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }

    private int attemptLimit(@Nullable ControlledListener control) {
        return control == null ? maxAttempts : control.maxAttemptsOr(maxAttempts);
    }

    private Duration delay(@Nullable ControlledListener control, Throwable failure, int attempt) {
        if (failure instanceof RetryAfterException later) {
            return later.delay();
        }
        RetryPolicy policy = control == null ? retryPolicy : control.retryPolicyOr(retryPolicy);
        return Duration.ofMillis(Math.max(0, policy.computeDelayMs(attempt)));
    }
}
