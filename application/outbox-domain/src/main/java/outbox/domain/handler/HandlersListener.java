package outbox.domain.handler;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.NotAttemptedException;
import outbox.RetryAfterException;
import outbox.listener.CountingListener;

/**
 * Delivers events of one type to all its handlers. Every delivery is a pass: read the progress, run open and due
 * handlers, and decide the outcome of the row when all have ended. See {@code
 * docs/decisions/handlers-share-one-row.md}. Thread-safe.
 */
final class HandlersListener implements CountingListener {
    private final List<HandlerQueue> queues;
    private final EventConsumptionTracker tracker;
    private final Outage outage;
    private final Set<String> retired;

    HandlersListener(List<HandlerQueue> queues, EventConsumptionTracker tracker, Outage outage, Set<String> retired) {
        this.queues = queues;
        this.tracker = tracker;
        this.outage = outage;
        this.retired = retired;
    }

    @Override
    public CompletionStage<?> onEventAsync(EventEnvelope event) {
        return pass(event, false);
    }

    @Override
    public CompletionStage<?> onSuspectAsync(EventEnvelope event) {
        return pass(event, true);
    }

    private CompletionStage<?> pass(EventEnvelope event, boolean suspect) {
        List<HandlerProgress> stored;
        try {
            stored = tracker.progressOf(event.eventId());
            outage.worked();
        } catch (RuntimeException e) {
            Duration pause = OutcomeRecorder.InTracker.TRACKER_PAUSE;
            outage.failed(
                    "progress of " + event + " cannot be read; no handler is called, retrying in " + pause.toSeconds()
                            + " s",
                    e);
            return CompletableFuture.failedFuture(
                    new RetryAfterException(pause, "progress of the handlers cannot be read", e));
        }
        return new Pass(event, stored, suspect).run();
    }

    /** One delivery of one event. */
    private final class Pass {
        private final EventEnvelope event;
        private final List<HandlerProgress> stored;
        private final boolean suspect;
        private CompletableFuture<HandlerResult> last = CompletableFuture.completedFuture(HandlerResult.DONE);
        private final List<CompletableFuture<HandlerResult>> results = new ArrayList<>();

        Pass(EventEnvelope event, List<HandlerProgress> stored, boolean suspect) {
            this.event = event;
            this.stored = stored;
            this.suspect = suspect;
        }

        CompletionStage<?> run() {
            boolean replayed = isReplayed();
            // A single handler needs no stored progress, unless another name has some: then the row may have been
            // replayed.
            boolean recordSuccess = queues.size() > 1 || !stored.isEmpty() || suspect;
            for (HandlerQueue queue : queues) {
                HandlerProgress progress = progressOf(queue.handler());
                switch (progress.state()) {
                    case DONE -> {}
                    case PENDING -> results.add(call(queue, new HandlerTask(event, 0, recordSuccess, suspect)));
                    case RETRY ->
                        results.add(
                                progress.dueIn().isZero()
                                        ? call(queue, new HandlerTask(event, progress.attempts(), true, suspect))
                                        : CompletableFuture.completedFuture(waiting(progress)));
                    case DEAD ->
                        results.add(
                                replayed
                                        ? call(queue, new HandlerTask(event, 0, true, suspect))
                                        : CompletableFuture.completedFuture(
                                                HandlerResult.Dead.earlier(describe(progress), progress)));
                }
            }
            stored.stream()
                    .filter(progress -> progress.state().isOpen() && isStrange(progress.handler()))
                    .forEach(progress -> results.add(CompletableFuture.completedFuture(HandlerResult.Dead.earlier(
                            describe(progress) + nobodyHandles(progress.handler()), progress))));
            return CompletableFuture.allOf(results.toArray(CompletableFuture[]::new))
                    .thenCompose(ignored -> decide());
        }

        /**
         * Runs suspects one after the other: if one kills the process, the attempts of the others must not be counted.
         */
        private CompletableFuture<HandlerResult> call(HandlerQueue queue, HandlerTask task) {
            if (!suspect) {
                return queue.submit(task);
            }
            last = last.handle((result, failure) -> HandlerResult.DONE).thenCompose(before -> queue.submit(task));
            return last;
        }

        /** Only dead handlers are left: the row would be dead, so it was replayed. */
        private boolean isReplayed() {
            return queues.stream()
                    .map(queue -> progressOf(queue.handler()).state())
                    .allMatch(state -> state == HandlerState.DONE || state == HandlerState.DEAD);
        }

        /** Progress under its name or a former one; done under any of them means done. */
        private HandlerProgress progressOf(Handler handler) {
            HandlerProgress best = HandlerProgress.pending(event.eventId(), handler.name());
            for (HandlerProgress progress : stored) {
                if (handler.isKnownAs(progress.handler()) && goesBefore(progress, best, handler)) {
                    best = progress;
                }
            }
            return best;
        }

        private boolean goesBefore(HandlerProgress progress, HandlerProgress best, Handler handler) {
            if (best.state() == HandlerState.PENDING || progress.state() == HandlerState.DONE) {
                return true;
            }
            return best.state() != HandlerState.DONE && progress.handler().equals(handler.name());
        }

        private boolean isStrange(String handlerName) {
            return !retired.contains(handlerName)
                    && queues.stream().noneMatch(queue -> queue.handler().isKnownAs(handlerName));
        }

        private CompletionStage<?> decide() {
            Duration next = null;
            List<String> summaries = new ArrayList<>();
            Throwable cause = null;
            boolean dead = false;
            boolean attempted = false;
            for (CompletableFuture<HandlerResult> future : results) {
                HandlerResult result = future.join();
                if (result instanceof HandlerResult.Retry retry) {
                    attempted = true;
                    next = earlier(next, retry.delay());
                    summaries.add(retry.summary());
                    cause = cause == null ? retry.error() : cause;
                } else if (result instanceof HandlerResult.Postponed postponed) {
                    next = earlier(next, postponed.delay());
                    summaries.add(postponed.summary());
                    cause = cause == null ? postponed.cause() : cause;
                } else if (result instanceof HandlerResult.Dead gaveUp) {
                    dead = true;
                    attempted |= gaveUp.error() != null;
                    summaries.add(gaveUp.summary());
                    cause = cause == null ? gaveUp.cause() : cause;
                }
            }
            if (next != null) {
                String summary = String.join("; ", summaries);
                return CompletableFuture.failedFuture(
                        attempted
                                ? new RetryAfterException(next, summary, cause)
                                : new NotAttemptedException(next, summary, cause));
            }
            if (dead) {
                return CompletableFuture.failedFuture(new HandlersFailedException(String.join("; ", summaries), cause));
            }
            return CompletableFuture.completedFuture(HandlerResult.DONE);
        }
    }

    private static HandlerResult waiting(HandlerProgress progress) {
        return new HandlerResult.Postponed(progress.dueIn(), describe(progress), null);
    }

    private static String describe(HandlerProgress progress) {
        String error = progress.lastError();
        String firstLine = error == null ? "" : ": " + error.lines().findFirst().orElse("");
        return "handler '" + progress.handler() + "' " + (progress.state() == HandlerState.DEAD ? "is dead" : "waits")
                + " after attempt " + progress.attempts() + firstLine;
    }

    private static String nobodyHandles(String name) {
        return " (there is no handler of that name for this type any more: give the handler that replaced it"
                + " formerNames = \"" + name + "\", or call retired(\"" + name + "\"), and replay)";
    }

    private static Duration earlier(@Nullable Duration one, Duration other) {
        return one == null || other.compareTo(one) < 0 ? other : one;
    }
}
