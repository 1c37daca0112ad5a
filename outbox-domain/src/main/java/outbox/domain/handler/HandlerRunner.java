package outbox.domain.handler;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.BatchFailedException;
import outbox.EventEnvelope;
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

    /** A task and what the handler gets of it. */
    private record Ready(HandlerTask task, Handled handled) {}

    void run(List<HandlerTask> tasks) {
        List<Ready> ready = new ArrayList<>(tasks.size());
        for (HandlerTask task : tasks) {
            try {
                ready.add(new Ready(task, new Handled(task.event(), decode(task.event()))));
            } catch (RuntimeException | Error e) {
                ledger.failed(task, e);
            }
        }
        if (ready.isEmpty()) {
            return;
        }
        if (handler.transactional()) {
            callInTransaction(ready);
        } else {
            call(ready);
        }
    }

    private @Nullable Object decode(EventEnvelope event) {
        return handler.takes() instanceof Takes.Objects ? reader.read(event) : null;
    }

    private void call(List<Ready> events) {
        try {
            invoke(events);
        } catch (BatchFailedException e) {
            List<HandlerTask> succeeded = new ArrayList<>();
            for (Ready event : events) {
                Exception failure = e.failures().get(event.task().event().eventId());
                if (failure == null) {
                    succeeded.add(event.task());
                } else {
                    ledger.failed(event.task(), failure);
                }
            }
            ledger.succeeded(succeeded);
            return;
        } catch (Throwable e) { // Errors too: a poison event stops only itself
            failed(events, e);
            return;
        }
        ledger.succeeded(tasks(events));
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
            if (events.size() == 1) {
                failed(events, e);
            } else {
                // All of the batch is rolled back; one by one the good ones get through.
                events.forEach(event -> callInTransaction(List.of(event)));
            }
            return;
        }
        ledger.succeeded(tasks(events));
    }

    private void failed(List<Ready> events, Throwable failure) {
        if (failure instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
        events.forEach(event -> ledger.failed(event.task(), failure));
    }

    private static List<HandlerTask> tasks(List<Ready> events) {
        return events.stream().map(Ready::task).toList();
    }

    private void invoke(List<Ready> events) throws Exception {
        new Step(events.stream().map(Ready::handled).toList(), 0).proceed();
    }

    /** The call as the interceptor at one place of the chain sees it. */
    private final class Step implements HandlerInterceptor.Call {
        private final List<Handled> events;
        private final int place;

        Step(List<Handled> events, int place) {
            this.events = events;
            this.place = place;
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
        public void proceed() throws Exception {
            if (place < interceptors.size()) {
                interceptors.get(place).around(new Step(events, place + 1));
            } else {
                handler.invocation().call(events);
            }
        }
    }
}
