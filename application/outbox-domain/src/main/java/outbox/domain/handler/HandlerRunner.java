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
import outbox.domain.type.EventReader;

/** Calls one handler with events and tells its ledger how that ended; completes every task it is given. Thread-safe. */
final class HandlerRunner {
    private final Handler handler;
    private final Ledger ledger;
    private final EventReader reader;
    private final List<HandlerInterceptor> interceptors;
    private final @Nullable EventConsumptionTracker tracker;
    private final @Nullable TransactionRunner transactions;
    private final LongAdder delivered = new LongAdder();
    private final LongAdder failed = new LongAdder();

    HandlerRunner(
            Handler handler,
            Ledger ledger,
            EventReader reader,
            List<HandlerInterceptor> interceptors,
            @Nullable EventConsumptionTracker tracker,
            @Nullable TransactionRunner transactions) {
        this.handler = handler;
        this.ledger = ledger;
        this.reader = reader;
        this.interceptors = interceptors;
        this.tracker = tracker;
        this.transactions = transactions;
    }

    /** Events the handler was done with, since the start. */
    long delivered() {
        return delivered.sum();
    }

    /** Events it failed at; one that is tried again may fail several times. */
    long failed() {
        return failed.sum();
    }

    /** A task and what the handler gets of it. */
    private record Ready(HandlerTask task, Handled handled) {}

    /** @return completes when all tasks are, which is at once unless the handler answers later */
    CompletionStage<?> run(List<HandlerTask> tasks) {
        List<Ready> ready = new ArrayList<>(tasks.size());
        for (HandlerTask task : tasks) {
            if (task.isSuspect() && !ledger.begin(task)) {
                boolean ignored = task.decide();
                continue;
            }
            try {
                ready.add(new Ready(task, new Handled(task.event(), decode(task.event()))));
            } catch (RuntimeException | Error e) {
                failed(task, e);
            }
        }
        if (ready.isEmpty()) {
            return Handler.DONE;
        }
        if (handler.transactional()) {
            callInTransaction(ready);
            return Handler.DONE;
        }
        return call(ready);
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
     * Consumption first, effect second, one commit: a second run of the same event waits for this one at the first
     * statement and then finds it consumed.
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
                // All of the batch is rolled back; one by one the good ones get through.
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
            ledger.succeeded(open);
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
        ledger.failed(task, failure);
    }

    /**
     * The call with these tasks reached its time limit. A transaction is given the time to end: until then it holds the
     * row in which the outcome would be stored.
     */
    void timedOut(List<HandlerTask> tasks, DeliveryTimeoutException failure) {
        if (!handler.transactional()) {
            tasks.forEach(task -> failed(task, failure));
        }
        tasks.forEach(HandlerTask::cancelAnswer);
    }

    /** Its thread ignores the interruption, so the transaction does not end. */
    void abandoned(List<HandlerTask> tasks) {
        for (HandlerTask task : tasks) {
            if (handler.transactional() && task.decide()) {
                failed.increment();
                ledger.abandoned(task, task.timeoutOr(new IllegalStateException("the handler does not return")));
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

    /** What the handler answered; an interceptor that does not go on answers for it. */
    private static final class Answer {
        private CompletionStage<?> stage = Handler.DONE;
    }

    /** The call as the interceptor at one place of the chain sees it. */
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
