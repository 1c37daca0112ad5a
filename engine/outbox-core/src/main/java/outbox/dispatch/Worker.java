package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import outbox.AsyncEventListener;
import outbox.BatchEventListener;
import outbox.BatchFailedException;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.registry.ListenerRegistry;
import outbox.spi.MetricsExporter;

/**
 * What every worker thread does: take an event, bring it to its listener, hand the result on. Holds no database
 * connection at any time. Stateless apart from its parts, so all workers share one.
 */
final class Worker {
    private static final Logger LOG = System.getLogger(Worker.class.getName());
    /** When the events of a paused listener are looked at again. */
    private static final Duration WHILE_PAUSED = Duration.ofSeconds(5);

    /** Deliveries in flight, together, of asynchronous listeners without a limit of their own; then workers wait. */
    private static final int UNCONTROLLED_ASYNC = 1000;

    /** Where events come from and where their results go: the dispatcher, seen from a worker. */
    interface Desk {
        @Nullable
        Delivery tryNext();

        /** Whether this delivery may run now: nobody else runs it and its lease stands. Otherwise it is forgotten. */
        boolean admit(Delivery delivery);

        /** Ends the delivery without a result: the event goes back to the table. */
        void giveBack(Delivery delivery, Duration delay);

        /**
         * So many run and wait at the listener's gate that there is no place for this one.
         *
         * @param delay when there may be one
         */
        default void gateIsFull(Delivery delivery, Duration delay) {
            giveBack(delivery, delay);
        }

        /** A delivery that waited at its listener's gate has its place now. */
        void resume(Delivery delivery);

        void finished(Delivery delivery, @Nullable ControlledListener control, @Nullable Throwable failure);

        /** Something of the worker itself failed, not the listener: the event must not stay in hand for that. */
        void failed(Delivery delivery, Throwable failure);
    }

    private final Desk desk;
    private final ListenerRegistry registry;
    private final List<EventInterceptor> interceptors;
    private final MetricsExporter metrics;
    private final LongSupplier ticks;
    private final Semaphore unlimited = new Semaphore(UNCONTROLLED_ASYNC);

    Worker(
            Desk desk,
            ListenerRegistry registry,
            List<EventInterceptor> interceptors,
            MetricsExporter metrics,
            LongSupplier ticks) {
        this.desk = desk;
        this.registry = registry;
        this.interceptors = interceptors;
        this.metrics = metrics;
        this.ticks = ticks;
    }

    /** Processes one event, with a batch listener those behind it that go to the same one, and what was taken on the way. */
    void process(Delivery delivery) {
        Delivery next = delivery;
        while (next != null) {
            Delivery current = next;
            try {
                next = processOne(current);
            } catch (Throwable e) {
                desk.failed(current, e);
                current.leaveGate();
                throw e;
            }
        }
    }

    /** @return an event that was taken on the way and is not processed yet */
    private @Nullable Delivery processOne(Delivery delivery) {
        boolean resumed = delivery.isResumed();
        if (!desk.admit(delivery)) {
            delivery.leaveGate();
            return null;
        }
        EventListener listener;
        try {
            listener = route(delivery);
        } catch (Throwable e) { // a registry of the user's own
            desk.finished(delivery, null, e);
            delivery.leaveGate();
            return null;
        }
        if (!resumed && !hasPlace(delivery, listener)) {
            return null;
        }
        if (!mayCall(delivery, listener)) { // asked now, not before it waited for its place
            delivery.leaveGate();
            return null;
        }
        EventListener target = listener instanceof ControlledListener control ? control.listener() : listener;
        if (target instanceof AsyncEventListener async) {
            runAsync(delivery, async, listener);
            return null;
        }
        if (target instanceof BatchEventListener batch) {
            return runBatch(delivery, batch, listener);
        }
        run(delivery, target, listener);
        return null;
    }

    private @Nullable EventListener route(Delivery delivery) {
        return registry.listenerFor(delivery.envelope());
    }

    /** Whether its listener takes events now: it is not paused, and its breaker lets this one pass. */
    private boolean mayCall(Delivery delivery, @Nullable EventListener listener) {
        if (!(listener instanceof ControlledListener control)) {
            return true;
        }
        control.reportTo(metrics);
        CircuitBreaker breaker = control.breaker();
        return !isLeftAlone(delivery, control)
                && (breaker == null || comesNow(delivery, breaker.tryPass(ticks.getAsLong())));
    }

    private boolean isLeftAlone(Delivery delivery, ControlledListener control) {
        if (control.isPaused()) {
            desk.giveBack(delivery, WHILE_PAUSED);
            return true;
        }
        CircuitBreaker breaker = control.breaker();
        return breaker != null && !comesNow(delivery, breaker.openFor(ticks.getAsLong()));
    }

    private boolean comesNow(Delivery delivery, long stayAwayNanos) {
        if (stayAwayNanos > 0) {
            desk.giveBack(delivery, Duration.ofNanos(stayAwayNanos));
        }
        return stayAwayNanos <= 0;
    }

    /** Whether one call more is within the listener's limit. Nobody waits at the gate of one that is left alone. */
    private boolean hasPlace(Delivery delivery, @Nullable EventListener listener) {
        if (!(listener instanceof ControlledListener control)) {
            return true;
        }
        Gate gate = control.gate();
        if (gate == null) {
            return true;
        }
        if (isLeftAlone(delivery, control)) {
            return false;
        }
        delivery.atGate(gate);
        switch (gate.enter(delivery, desk::resume)) {
            case ENTERED -> {
                return true;
            }
            case WAITING -> {
                return false;
            }
            case REFUSED -> {
                delivery.refusedAtGate();
                desk.gateIsFull(delivery, gate.appointment());
                return false;
            }
        }
        throw new AssertionError();
    }

    private void run(Delivery delivery, @Nullable EventListener target, @Nullable EventListener registered) {
        Throwable failure = null;
        try {
            before(delivery);
            if (target == null) {
                throw unroutable(delivery);
            }
            long start = called(delivery);
            try {
                target.onEvent(delivery.envelope());
            } finally {
                returned(delivery, start);
            }
        } catch (Throwable e) { // Errors too: a poison event stops only itself
            failure = e;
        }
        finish(delivery, registered, failure);
    }

    private void runAsync(Delivery delivery, AsyncEventListener target, @Nullable EventListener registered) {
        boolean limited = registered instanceof ControlledListener; // by its own gate
        if (!limited) {
            try {
                unlimited.acquire();
            } catch (InterruptedException e) {
                desk.giveBack(delivery, Duration.ZERO);
                Thread.currentThread().interrupt();
                return;
            }
        }
        AtomicBoolean ended = new AtomicBoolean();
        Consumer<@Nullable Throwable> end = failure -> {
            if (ended.compareAndSet(false, true)) {
                if (!limited) {
                    unlimited.release();
                }
                finish(delivery, registered, unwrap(failure));
            }
        };
        try {
            before(delivery);
            long start = called(delivery);
            target.onEventAsync(delivery.envelope()).whenComplete((ignored, failure) -> {
                end.accept(failure);
                returned(delivery, start);
            });
        } catch (Throwable e) {
            end.accept(e);
        }
    }

    private static @Nullable Throwable unwrap(@Nullable Throwable failure) {
        if (failure instanceof CompletionException || failure instanceof ExecutionException) {
            return failure.getCause() == null ? failure : failure.getCause();
        }
        return failure;
    }

    private @Nullable Delivery runBatch(Delivery first, BatchEventListener target, @Nullable EventListener registered) {
        int limit;
        try {
            limit = target.maxBatchSize();
        } catch (Throwable e) {
            finish(first, registered, e);
            return null;
        }
        if (limit <= 1) {
            run(first, target, registered);
            return null;
        }
        List<Delivery> batch = new ArrayList<>(List.of(first));
        Delivery leftOver = null;
        try {
            leftOver = fill(batch, limit, registered);
            runBatch(batch, target, registered);
        } catch (Throwable e) { // of the worker itself: none of them may stay in hand, nor what comes next
            LOG.log(Level.ERROR, "could not deliver a batch of " + batch.size() + " event(s)", e);
            batch.forEach(delivery -> desk.failed(delivery, e));
            first.leaveGate();
        }
        return leftOver;
    }

    private void runBatch(List<Delivery> batch, BatchEventListener target, @Nullable EventListener registered) {
        List<Delivery> ready = new ArrayList<>(batch.size());
        Map<Delivery, Throwable> notReady = new HashMap<>(0);
        for (Delivery delivery : batch) {
            try {
                before(delivery);
                ready.add(delivery);
            } catch (Throwable e) {
                notReady.put(delivery, e);
            }
        }
        if (!ready.isEmpty()) {
            callBatch(ready, target, registered);
        }
        notReady.forEach(
                (delivery, e) -> finish(delivery, registered, e)); // the call's place at the gate may be theirs
    }

    private @Nullable Delivery fill(List<Delivery> batch, int limit, @Nullable EventListener registered) {
        while (batch.size() < limit) {
            Delivery next = desk.tryNext();
            if (next == null) {
                return null;
            }
            if (next.isResumed() || !goesTo(registered, next)) {
                return next;
            }
            try {
                if (desk.admit(next) && mayCall(next, registered)) { // the place at the gate is the first one's
                    batch.add(next);
                }
            } catch (Throwable e) {
                LOG.log(Level.ERROR, "could not take event " + next.eventId() + " into a batch", e);
                desk.failed(next, e);
            }
        }
        return null;
    }

    private boolean goesTo(@Nullable EventListener registered, Delivery delivery) {
        try {
            return route(delivery) == registered;
        } catch (Throwable e) { // comes again when its own turn has come
            return false;
        }
    }

    private void callBatch(List<Delivery> batch, BatchEventListener target, @Nullable EventListener registered) {
        Throwable failure = null;
        try {
            long start = called(batch.get(0));
            batch.forEach(delivery -> delivery.called(start));
            try {
                target.onEvents(batch.stream().map(Delivery::envelope).toList());
            } finally {
                returned(batch.get(0), start);
            }
        } catch (Throwable e) {
            failure = e;
        }
        for (Delivery delivery : batch) {
            finish(delivery, registered, failureOf(delivery, failure));
        }
    }

    private static @Nullable Throwable failureOf(Delivery delivery, @Nullable Throwable failure) {
        try {
            return failure instanceof BatchFailedException partial
                    ? partial.failures().get(delivery.eventId())
                    : failure;
        } catch (RuntimeException | Error e) { // an exception class of the user's own
            return failure;
        }
    }

    private void before(Delivery delivery) throws Exception {
        for (EventInterceptor interceptor : interceptors) {
            interceptor.beforeDispatch(delivery.envelope());
        }
    }

    private long called(Delivery delivery) {
        long now = ticks.getAsLong();
        delivery.called(now);
        metrics.recordDeliveryLatency(Duration.ofNanos(now - delivery.enqueuedAt()));
        return now;
    }

    private void returned(Delivery delivery, long start) {
        EventEnvelope event = delivery.envelope();
        metrics.recordListenerDuration(
                event.aggregateType(), event.eventType(), Duration.ofNanos(ticks.getAsLong() - start));
    }

    private void finish(Delivery delivery, @Nullable EventListener registered, @Nullable Throwable failure) {
        after(delivery, failure);
        ControlledListener control = registered instanceof ControlledListener controlled ? controlled : null;
        try {
            desk.finished(delivery, control, failure);
        } catch (Throwable e) { // who calls may be a future of the listener's own, which would keep it to itself
            LOG.log(Level.ERROR, "could not take note of how event " + delivery.eventId() + " ended", e);
            desk.failed(delivery, e);
        }
        delivery.leaveGate();
    }

    private void after(Delivery delivery, @Nullable Throwable failure) {
        Exception error = failure == null || failure instanceof Exception
                ? (Exception) failure
                : new ExecutionException("listener failed with an error", failure);
        for (int i = interceptors.size() - 1; i >= 0; i--) {
            try {
                interceptors.get(i).afterDispatch(delivery.envelope(), error);
            } catch (Throwable e) {
                LOG.log(Level.WARNING, "interceptor failed after event " + delivery.eventId() + "; ignored", e);
            }
        }
    }

    private static UnroutableEventException unroutable(Delivery delivery) {
        EventEnvelope event = delivery.envelope();
        return new UnroutableEventException("no listener is registered for " + event.aggregateType() + ":"
                + event.eventType() + " (event " + event.eventId() + "); register one and replay the event");
    }
}
