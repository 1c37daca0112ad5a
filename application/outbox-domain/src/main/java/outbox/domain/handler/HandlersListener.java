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
 * Delivers events of one type to all its handlers. Every delivery is a pass: read the progress unless there is certainly
 * none, run open and due handlers, and decide the outcome of the row when all have ended. See {@code
 * docs/decisions/handlers-share-one-row.md}. Thread-safe.
 */
final class HandlersListener implements CountingListener {
    private final List<HandlerQueue> queues;
    private final ProgressReader reader;
    private final OpenPasses openPasses;
    private final Outage outage;
    private final Set<String> retired;

    HandlersListener(
            List<HandlerQueue> queues,
            ProgressReader reader,
            OpenPasses openPasses,
            Outage outage,
            Set<String> retired) {
        this.queues = queues;
        this.reader = reader;
        this.openPasses = openPasses;
        this.outage = outage;
        this.retired = retired;
    }

    @Override
    public CompletionStage<?> onEventAsync(EventEnvelope event) {
        return event.takeFirstDelivery() ? new Pass(event, List.of(), false).run() : readAndRun(event, false);
    }

    @Override
    public CompletionStage<?> onSuspectAsync(EventEnvelope event) {
        return readAndRun(event, true);
    }

    private CompletionStage<?> readAndRun(EventEnvelope event, boolean suspect) {
        CompletionStage<List<HandlerProgress>> progress;
        try {
            progress = reader.progressOf(event.eventId());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return CompletableFuture.failedFuture(e);
        }
        return progress.handle((stored, failure) -> {
                    if (failure != null) {
                        return CompletableFuture.failedFuture(unreadable(event, failure));
                    }
                    outage.worked();
                    return new Pass(event, stored, suspect).run();
                })
                .thenCompose(run -> run);
    }

    private Exception unreadable(EventEnvelope event, Throwable failure) {
        Duration pause = OutcomeRecorder.InTracker.TRACKER_PAUSE;
        outage.failed(
                "progress of " + event + " cannot be read; no handler is called, retrying in " + pause.toSeconds()
                        + " s",
                failure);
        return new RetryAfterException(pause, "progress of the handlers cannot be read", failure);
    }

    /** One delivery of one event. */
    private final class Pass {
        private final EventEnvelope event;
        private final List<HandlerProgress> stored;
        private final boolean suspect;
        private final PassResults results;
        private CompletableFuture<HandlerResult> last = CompletableFuture.completedFuture(HandlerResult.DONE);

        Pass(EventEnvelope event, List<HandlerProgress> stored, boolean suspect) {
            this.event = event;
            this.stored = stored;
            this.suspect = suspect;
            // After a counted attempt too: if the database refused the row's outcome, nothing else would say who
            // succeeded.
            this.results = new PassResults(openPasses, suspect || event.attempt() > 1 || !stored.isEmpty());
        }

        CompletionStage<?> run() {
            if (stored.isEmpty()) {
                results.calling(queues.size());
                queues.forEach(queue -> call(queue, 0));
            } else {
                goOn();
            }
            return CompletableFuture.allOf(results.all().toArray(CompletableFuture[]::new))
                    .thenCompose(ignored -> decide());
        }

        /** Some handlers were called before. */
        private void goOn() {
            boolean replayed = isReplayed();
            for (HandlerQueue queue : queues) {
                HandlerProgress progress = progressOf(queue.handler());
                switch (progress.state()) {
                    case DONE -> {}
                    case PENDING -> call(queue, 0);
                    case RETRY -> {
                        if (progress.dueIn().isZero()) {
                            call(queue, progress.attempts());
                        } else {
                            results.add(waiting(progress));
                        }
                    }
                    case DEAD -> {
                        if (replayed) {
                            call(queue, 0);
                        } else {
                            results.add(HandlerResult.Dead.earlier(describe(progress), progress));
                        }
                    }
                }
            }
            stored.stream()
                    .filter(progress -> progress.state().isOpen() && isStrange(progress.handler()))
                    .forEach(progress -> results.add(HandlerResult.Dead.earlier(
                            describe(progress) + nobodyHandles(progress.handler()), progress)));
        }

        /**
         * Runs suspects one after the other: if one kills the process, the attempts of the others must not be counted.
         */
        private void call(HandlerQueue queue, int attempts) {
            HandlerTask task = new HandlerTask(event, attempts, suspect, results);
            if (suspect) {
                last = last.handle((result, failure) -> HandlerResult.DONE).thenCompose(before -> queue.submit(task));
                results.add(last);
            } else {
                results.add(queue.submit(task));
            }
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
            for (CompletableFuture<HandlerResult> future : results.all()) {
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
