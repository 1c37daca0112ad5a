package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import outbox.AsyncEventListener;
import outbox.BatchEventListener;
import outbox.BatchFailedException;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.Redelivery;
import outbox.listener.CircuitBreaker;
import outbox.listener.ConcurrencyLimit;
import outbox.listener.ControlledListener;
import outbox.listener.CountingListener;
import outbox.listener.RateLimit;
import outbox.listener.RunningCalls;
import outbox.registry.ListenerRegistry;
import outbox.spi.MetricsExporter;
import outbox.spi.Settlement;

/**
 * What every worker thread does: take an event, bring it to its listener, hand the result on. Holds no database
 * connection at any time. Stateless apart from its parts, so all workers share one.
 */
final class Worker {
    private static final Logger LOG = System.getLogger(Worker.class.getName());
    /** When the events of a paused listener are looked at again. */
    private static final Duration WHILE_PAUSED = Duration.ofSeconds(5);

    /** Where events come from and where their outcomes go: the dispatcher, seen from a worker. */
    interface Protocol {
        @Nullable
        Delivery tryNext();

        /** Whether this delivery may run now: nobody else runs it and its lease stands. Otherwise it is forgotten. */
        boolean admit(Delivery delivery);

        /** A delivery that waited at its listener's limit has its place now, or one that was taken is put back. */
        void resume(Delivery delivery);

        /**
         * Whether the listener of a suspect event may be called: asked as the last thing before that. Otherwise the
         * delivery has ended.
         *
         * @param control the listener's own rules
         */
        default boolean mayAttempt(Delivery delivery, @Nullable ControlledListener control) {
            return true;
        }

        /** Whether the event is dead if its listener fails now; {@code false} if that is not known. */
        default boolean isLastAttempt(Delivery delivery, @Nullable ControlledListener control) {
            return false;
        }

        /** A delivery has ended; a release sends it back to where it came from. */
        void ended(Outcome outcome);
    }

    private final Protocol protocol;
    private final ListenerRegistry registry;
    private final List<EventInterceptor> interceptors;
    private final Verdict verdict;
    private final MetricsExporter metrics;
    private final LongSupplier ticks;
    private final RunningCalls calls;
    private final Duration timeLimit;
    private final Consumer<Thread> replaceWorker;
    private final AsyncLimits asyncLimits;
    private volatile boolean interrupting;

    /**
     * @param timeLimit of listeners that say nothing
     * @param replaceWorker told of a worker thread whose listener does not return
     */
    Worker(
            Protocol protocol,
            ListenerRegistry registry,
            List<EventInterceptor> interceptors,
            Verdict verdict,
            MetricsExporter metrics,
            LongSupplier ticks,
            RunningCalls calls,
            Duration timeLimit,
            Consumer<Thread> replaceWorker,
            AsyncLimits asyncLimits) {
        this.protocol = protocol;
        this.registry = registry;
        this.interceptors = interceptors;
        this.verdict = verdict;
        this.metrics = metrics;
        this.ticks = ticks;
        this.calls = calls;
        this.timeLimit = timeLimit;
        this.replaceWorker = replaceWorker;
        this.asyncLimits = asyncLimits;
    }

    void replaceWorker(Thread thread) {
        replaceWorker.accept(thread);
    }

    /** Before the first worker is interrupted: a listener that ends by that is not to blame. */
    void interrupting() {
        interrupting = true;
    }

    boolean isInterrupting() {
        return interrupting;
    }

    /** Processes one event, with a batch listener those behind it that go to the same one. */
    void process(Delivery delivery) {
        try {
            boolean resumed = delivery.isResumed();
            if (!protocol.admit(delivery)) {
                delivery.leaveConcurrencyLimit();
                return;
            }
            EventListener listener;
            try {
                listener = route(delivery);
            } catch (Throwable e) { // a registry of the user's own
                settle(delivery, null, e);
                return;
            }
            if (!resumed && !hasPlace(delivery, listener)) {
                return;
            }
            if (!mayCall(delivery, listener)) { // asked now, not before it waited for its place
                delivery.leaveConcurrencyLimit();
                return;
            }
            EventListener target = targetOf(listener);
            if (target instanceof AsyncEventListener async) {
                runAsync(delivery, async, listener);
            } else if (target instanceof BatchEventListener batch) {
                runBatch(delivery, batch, listener);
            } else {
                run(delivery, target, listener);
            }
        } catch (Throwable e) {
            failed(delivery, e);
            delivery.leaveConcurrencyLimit();
            throw e;
        } finally {
            if (!interrupting) {
                boolean ignored = Thread.interrupted(); // left behind by a listener
            }
        }
    }

    private static @Nullable ControlledListener controlOf(@Nullable EventListener listener) {
        return listener instanceof ControlledListener control ? control : null;
    }

    private static @Nullable EventListener targetOf(@Nullable EventListener listener) {
        return listener instanceof ControlledListener control ? control.listener() : listener;
    }

    private @Nullable EventListener route(Delivery delivery) {
        EventEnvelope event = delivery.envelope();
        EventListener listener = registry.listenerFor(event);
        String only = Redelivery.targetOf(event);
        if (only != null
                && (listener == null || !ControlledListener.nameOf(listener).equals(only))) {
            throw new UnroutableEventException("event " + event.eventId() + " is a redelivery to '" + only
                    + "', which does not handle events of type '" + event.eventType()
                    + "' on this node; it is delivered to no other listener");
        }
        return listener;
    }

    /** Whether its listener is called now: it is not paused, its rate and its breaker let this one pass. */
    private boolean mayCall(Delivery delivery, @Nullable EventListener listener) {
        if (isLeftAlone(delivery, listener)) {
            return false;
        }
        ControlledListener control = controlOf(listener);
        if (control != null) {
            control.reportTo(metrics);
            RateLimit rate = control.rateLimit();
            boolean hot = delivery.source() == QueuedEvent.Source.HOT;
            if (rate != null && !comesNow(delivery, rate.tryTake(ticks.getAsLong(), hot))) {
                return false;
            }
            CircuitBreaker breaker = control.breaker();
            if (breaker != null && !comesNow(delivery, breaker.tryPass(ticks.getAsLong()))) {
                return false;
            }
        }
        return !delivery.isSuspect()
                || listener == null
                || targetOf(listener) instanceof CountingListener
                || protocol.mayAttempt(delivery, control);
    }

    private boolean isLeftAlone(Delivery delivery, @Nullable EventListener listener) {
        ControlledListener control = controlOf(listener);
        if ((control != null && control.isPaused())
                || (listener != null && calls.isSuspended(ControlledListener.nameOf(listener)))) {
            postpone(delivery, WHILE_PAUSED);
            return true;
        }
        CircuitBreaker breaker = control == null ? null : control.breaker();
        return breaker != null && !comesNow(delivery, breaker.openFor(ticks.getAsLong()));
    }

    private boolean comesNow(Delivery delivery, long stayAwayNanos) {
        if (stayAwayNanos > 0) {
            postpone(delivery, Duration.ofNanos(stayAwayNanos));
        }
        return stayAwayNanos <= 0;
    }

    /** Ends the delivery without an attempt: the event goes back to the table. */
    private void postpone(Delivery delivery, Duration delay) {
        protocol.ended(new Outcome(delivery, new Settlement.Release(delivery.eventId(), delivery.attempts(), delay)));
    }

    /** Whether one call more is within the listener's limit. Nobody waits at the limit of one that is left alone. */
    private boolean hasPlace(Delivery delivery, @Nullable EventListener listener) {
        ConcurrencyLimit limit = limitOf(delivery, listener);
        if (limit == null) {
            return true;
        }
        if (isLeftAlone(delivery, listener)) {
            return false;
        }
        delivery.atConcurrencyLimit(limit);
        switch (limit.enter(delivery, protocol::resume)) {
            case ENTERED -> {
                return true;
            }
            case WAITING -> {
                return false;
            }
            case REFUSED -> {
                delivery.refusedAtLimit();
                postpone(delivery, limit.retryAfter());
                return false;
            }
        }
        throw new AssertionError();
    }

    private @Nullable ConcurrencyLimit limitOf(Delivery delivery, @Nullable EventListener listener) {
        if (listener instanceof ControlledListener control) {
            return control.concurrencyLimit();
        }
        return listener instanceof AsyncEventListener
                ? asyncLimits.of(delivery.envelope().eventType())
                : null;
    }

    private void run(Delivery delivery, @Nullable EventListener target, @Nullable EventListener registered) {
        ListenerCall call = begin(List.of(delivery), registered, false);
        Throwable failure = null;
        try {
            before(delivery);
            if (target == null) {
                throw unroutable(delivery);
            }
            called(delivery);
            target.onEvent(delivery.envelope());
        } catch (Throwable e) { // Errors too: a poison event stops only itself
            failure = e;
        }
        Throwable thrown = failure;
        call.end(ended -> thrown);
    }

    private void runAsync(Delivery delivery, AsyncEventListener target, @Nullable EventListener registered) {
        ListenerCall call = begin(List.of(delivery), registered, true);
        try {
            before(delivery);
            called(delivery);
            CompletionStage<?> stage = delivery.isSuspect() && target instanceof CountingListener counting
                    ? counting.onSuspectAsync(delivery.envelope())
                    : target.onEventAsync(delivery.envelope());
            call.waitFor(stage);
            stage.whenComplete((ignored, failure) -> call.end(ended -> unwrap(failure)));
        } catch (Throwable e) {
            call.end(ended -> e);
        }
    }

    private ListenerCall begin(List<Delivery> deliveries, @Nullable EventListener registered, boolean async) {
        ControlledListener control = controlOf(registered);
        ListenerCall call = new ListenerCall(
                this, deliveries, registered, async, control == null ? timeLimit : control.timeLimitOr(timeLimit));
        for (Delivery delivery : deliveries) {
            if (protocol.isLastAttempt(delivery, control)) {
                delivery.isLastAttempt();
            }
        }
        calls.begin(call);
        return call;
    }

    private static @Nullable Throwable unwrap(@Nullable Throwable failure) {
        if (failure instanceof CompletionException || failure instanceof ExecutionException) {
            return failure.getCause() == null ? failure : failure.getCause();
        }
        return failure;
    }

    private void runBatch(Delivery first, BatchEventListener target, @Nullable EventListener registered) {
        int limit;
        try {
            limit = target.maxBatchSize();
        } catch (Throwable e) {
            after(first, e);
            settle(first, registered, e);
            return;
        }
        if (limit <= 1 || isTriedAlone(first)) {
            run(first, target, registered);
            return;
        }
        List<Delivery> batch = new ArrayList<>(List.of(first));
        try {
            fill(batch, limit, registered);
            callBatch(List.copyOf(batch), target, registered);
        } catch (Throwable e) { // of the worker itself: none of them may stay in flight
            LOG.log(Level.ERROR, "could not deliver a batch of " + batch.size() + " event(s)", e);
            batch.forEach(delivery -> failed(delivery, e));
            first.leaveConcurrencyLimit();
        }
    }

    /**
     * Nobody knows which event of a batch made it fail, or ended the process: tried alone, only that one can do so again, and
     * the others do not die with it.
     */
    private static boolean isTriedAlone(Delivery delivery) {
        return delivery.attempts() > 0 || delivery.isSuspect();
    }

    /** What was taken and goes elsewhere is put back at once: this batch may take long. */
    private void fill(List<Delivery> batch, int limit, @Nullable EventListener registered) {
        while (batch.size() < limit) {
            Delivery next = protocol.tryNext();
            if (next == null) {
                return;
            }
            if (next.isResumed() || isTriedAlone(next) || !goesTo(registered, next)) {
                protocol.resume(next);
                return;
            }
            try {
                if (protocol.admit(next) && mayCall(next, registered)) { // the place at the limit is the first one's
                    batch.add(next);
                }
            } catch (Throwable e) {
                LOG.log(Level.ERROR, "could not take event " + next.eventId() + " into a batch", e);
                failed(next, e);
            }
        }
    }

    private boolean goesTo(@Nullable EventListener registered, Delivery delivery) {
        try {
            return route(delivery) == registered;
        } catch (Throwable e) { // comes again when its own turn has come
            return false;
        }
    }

    private void callBatch(List<Delivery> batch, BatchEventListener target, @Nullable EventListener registered) {
        ListenerCall call = begin(batch, registered, false);
        Map<Delivery, Throwable> notReady = new HashMap<>(0);
        Throwable failure = null;
        try {
            List<EventEnvelope> ready = new ArrayList<>(batch.size());
            for (Delivery delivery : batch) {
                try {
                    before(delivery);
                    ready.add(delivery.envelope());
                } catch (Throwable e) {
                    notReady.put(delivery, e);
                }
            }
            if (!ready.isEmpty()) {
                batch.stream()
                        .filter(delivery -> !notReady.containsKey(delivery))
                        .forEach(this::called);
                target.onEvents(List.copyOf(ready));
            }
        } catch (Throwable e) {
            failure = e;
        }
        Throwable thrown = failure;
        if (batch.size() > 1 && !(thrown instanceof BatchFailedException)) {
            batch.forEach(Delivery::sharesFailure);
        }
        call.end(delivery -> notReady.containsKey(delivery) ? notReady.get(delivery) : failureOf(delivery, thrown));
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

    private void called(Delivery delivery) {
        long now = ticks.getAsLong();
        delivery.called(now);
        metrics.recordDeliveryLatency(Duration.ofNanos(now - delivery.enqueuedAt()));
    }

    /** A call has ended, or its time limit was reached: it counts as ended then. */
    void returned(Delivery first) {
        Duration duration = first.sinceCall(ticks.getAsLong());
        if (duration != null) {
            EventEnvelope event = first.envelope();
            metrics.recordListenerDuration(event.aggregateType(), event.eventType(), duration);
        }
    }

    /** Decides what becomes of a delivery, and frees its place at the listener's limit. */
    void settle(Delivery delivery, @Nullable EventListener registered, @Nullable Throwable failure) {
        ControlledListener control = controlOf(registered);
        try {
            protocol.ended(new Outcome(delivery, verdict.ended(delivery, control, failure, interrupting), control));
        } catch (Throwable e) { // who calls may be a future of the listener's own, which would keep it to itself
            LOG.log(Level.ERROR, "could not take note of how event " + delivery.eventId() + " ended", e);
            failed(delivery, e);
        }
        delivery.leaveConcurrencyLimit();
    }

    /** Something of the worker itself failed, not the listener: the event must not stay in flight for that. */
    private void failed(Delivery delivery, Throwable failure) {
        if (!delivery.isFinished()) {
            protocol.ended(new Outcome(delivery, verdict.on(delivery, null, failure)));
        }
    }

    void after(Delivery delivery, @Nullable Throwable failure) {
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
