package outbox.domain.handler;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import outbox.BatchFailedException;
import outbox.DeliveryTimeoutException;
import outbox.EventEnvelope;
import outbox.NotAttemptedException;
import outbox.domain.TransactionRunner;
import outbox.domain.TxMode;
import outbox.domain.handler.Handler.Handled;
import outbox.domain.handler.Handler.Takes;
import outbox.domain.type.EventDeserializer;

/** Calls one handler with events and records the outcomes; completes every task. Thread-safe. */
final class HandlerRunner {
    private final Handler handler;
    private final OutcomeRecorder recorder;
    private final EventDeserializer reader;
    private final List<HandlerInterceptor> interceptors;
    private final @Nullable EventConsumptionTracker tracker;
    private final @Nullable TransactionRunner transactions;
    private final LongAdder delivered = new LongAdder();
    private final LongAdder failed = new LongAdder();

    HandlerRunner(
            Handler handler,
            OutcomeRecorder recorder,
            EventDeserializer reader,
            List<HandlerInterceptor> interceptors,
            @Nullable EventConsumptionTracker tracker,
            @Nullable TransactionRunner transactions) {
        this.handler = handler;
        this.recorder = recorder;
        this.reader = reader;
        this.interceptors = interceptors;
        this.tracker = tracker;
        this.transactions = transactions;
    }

    /** Events handled successfully since the start. */
    long delivered() {
        return delivered.sum();
    }

    /** Failed calls since the start; a retried event counts several times. */
    long failed() {
        return failed.sum();
    }

    /** A task and the event passed to the handler. */
    private record Ready(HandlerTask task, Handled handled) {}

    /** @return completes when all tasks are complete; already completed unless the handler is asynchronous */
    CompletionStage<?> run(List<HandlerTask> tasks) {
        List<Ready> ready = new ArrayList<>(tasks.size());
        for (HandlerTask task : tasks) {
            if (task.isSuspect() && !recorder.begin(task)) {
                boolean ignored = task.decide();
                continue;
            }
            try {
                ready.add(new Ready(task, new Handled(seenBy(task), decode(task.event()), task.attempts() + 1)));
            } catch (RuntimeException | Error e) {
                failed(task, e);
            }
        }
        if (ready.isEmpty()) {
            return Handler.DONE;
        }
        if (handler.transactional() && tracker != null) {
            callInTransaction(ready);
            return Handler.DONE;
        }
        return call(ready);
    }

    /** {@link EventEnvelope#attempt()} stays the delivery of the row; whether it is the last attempt goes by this handler. */
    private EventEnvelope seenBy(HandlerTask task) {
        boolean last = task.attempts() + 1 >= handler.retry().maxAttempts();
        return task.event().atAttempt(task.event().attempt(), last);
    }

    private @Nullable Object decode(EventEnvelope event) {
        return handler.takes() instanceof Takes.Objects ? reader.read(event) : null;
    }

    private CompletionStage<?> call(List<Ready> events) {
        CompletionStage<?> answer;
        try {
            CompletionStage<?> answering = invoke(events);
            if (handler.answersLater()) {
                events.forEach(event -> event.task().answeredBy(answering));
            }
            answer = answering;
        } catch (Throwable e) { // Errors too: a poison event stops only itself
            keepInterrupt(e);
            answer = CompletableFuture.failedFuture(e);
        }
        return answer.handle((done, failure) -> {
            ended(
                    events,
                    failure instanceof CompletionException && failure.getCause() != null
                            ? failure.getCause()
                            : failure);
            return HandlerResult.DONE;
        });
    }

    private void ended(List<Ready> events, @Nullable Throwable failure) {
        if (failure == null) {
            succeeded(tasks(events));
        } else if (failure instanceof BatchFailedException some) {
            List<HandlerTask> succeeded = new ArrayList<>();
            for (Ready event : events) {
                Exception own = some.failures().get(event.task().event().eventId());
                if (own == null) {
                    succeeded.add(event.task());
                } else {
                    failed(event.task(), own);
                }
            }
            if (!succeeded.isEmpty()) {
                succeeded(succeeded);
            }
        } else {
            failed(events, failure);
        }
    }

    /**
     * The progress is recorded first, then the handler runs, in one transaction: a concurrent run of the same event
     * waits at the first statement and then finds it done.
     */
    private void callInTransaction(List<Ready> events) {
        EventConsumptionTracker consumption = Objects.requireNonNull(tracker);
        try {
            Objects.requireNonNull(transactions).run(TxMode.REQUIRED, () -> {
                List<Ready> fresh = new ArrayList<>(events.size());
                for (Ready event : events) {
                    if (consumption.consume(event.task().event().eventId(), handler.name())) {
                        fresh.add(event);
                    }
                }
                if (!fresh.isEmpty()) {
                    invoke(fresh);
                }
                return fresh.size();
            });
        } catch (Throwable e) {
            keepInterrupt(e);
            if (events.size() == 1 || events.get(0).task().isTimedOut()) {
                failed(events, e);
            } else {
                // The batch was rolled back; the events are tried one by one.
                events.forEach(event -> callInTransaction(List.of(event)));
            }
            return;
        }
        succeeded(tasks(events));
    }

    private static void keepInterrupt(Throwable failure) {
        if (failure instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
    }

    private void failed(List<Ready> events, Throwable failure) {
        events.forEach(event -> failed(event.task(), failure));
    }

    private void succeeded(List<HandlerTask> tasks) {
        List<HandlerTask> open = tasks.stream().filter(HandlerTask::decide).toList();
        if (!open.isEmpty()) {
            delivered.add(open.size());
            recorder.succeeded(open);
        }
    }

    private void failed(HandlerTask task, Throwable thrown) {
        Throwable failure = task.timeoutOr(thrown);
        if (!task.decide()) {
            return;
        }
        if (!(failure instanceof NotAttemptedException)) {
            failed.increment();
        }
        recorder.failed(task, failure);
    }

    /**
     * The call with these tasks exceeded its time limit. A transaction gets time to end: until then it locks the row of
     * the outcome.
     */
    void timedOut(List<HandlerTask> tasks, DeliveryTimeoutException failure) {
        if (!handler.transactional()) {
            tasks.forEach(task -> failed(task, failure));
        }
        tasks.forEach(HandlerTask::cancelAnswer);
    }

    /** Its thread ignores the interruption, so its transaction does not end. */
    void abandoned(List<HandlerTask> tasks) {
        for (HandlerTask task : tasks) {
            if (handler.transactional() && task.decide()) {
                failed.increment();
                recorder.abandoned(task, task.timeoutOr(new IllegalStateException("the handler does not return")));
            }
        }
    }

    private static List<HandlerTask> tasks(List<Ready> events) {
        return events.stream().map(Ready::task).toList();
    }

    private CompletionStage<?> invoke(List<Ready> events) throws Exception {
        Answer answer = new Answer();
        new Step(events.stream().map(Ready::handled).toList(), 0, answer).proceed();
        return answer.stage;
    }

    /** The answer of the handler, or of an interceptor that did not proceed. */
    private static final class Answer {
        private CompletionStage<?> stage = Handler.DONE;
    }

    /** The call as seen by one interceptor of the chain. */
    private final class Step implements HandlerInterceptor.Call {
        private final List<Handled> events;
        private final int place;
        private final Answer answer;

        Step(List<Handled> events, int place, Answer answer) {
            this.events = events;
            this.place = place;
            this.answer = answer;
        }

        @Override
        public String handler() {
            return handler.name();
        }

        @Override
        public List<EventEnvelope> events() {
            return events.stream().map(Handled::envelope).toList();
        }

        @Override
        public List<Object> objects() {
            List<Object> objects = new ArrayList<>(events.size());
            for (Handled handled : events) {
                Object object = handled.event();
                if (object != null) {
                    objects.add(object);
                }
            }
            return objects;
        }

        @Override
        public void proceed() throws Exception {
            if (place < interceptors.size()) {
                interceptors.get(place).around(new Step(events, place + 1, answer));
            } else {
                answer.stage = handler.invocation().call(events);
            }
        }
    }
}
