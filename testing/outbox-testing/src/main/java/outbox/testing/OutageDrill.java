package outbox.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.dispatch.EventInterceptor;
import outbox.dispatch.OutboxDispatcher;
import outbox.listener.ControlledListener;
import outbox.model.EventStatus;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.BreakerState;
import outbox.spi.MetricsExporter;

/**
 * Sends many events through a publisher, in order per key, while incidents affect the receiver, and reports the
 * results. For tests of publishers; runs the real engine on an {@link InMemoryOutboxStore}.
 *
 * <pre>{@code
 * OutageDrill.Report report = new OutageDrill(publisher)
 *     .events(20_000)
 *     .incident(broker::pause)
 *     .incident(broker::restart)
 *     .run(Duration.ofMinutes(1));
 * }</pre>
 *
 * <p>Not thread-safe.
 */
public final class OutageDrill {
    /** The aggregate type of all events of a drill. */
    public static final String AGGREGATE_TYPE = "Drill";
    /** The event type of all events of a drill. */
    public static final String EVENT_TYPE = "drill.step";

    private static final int EVENTS_PER_TRANSACTION = 100;
    private static final long POLL_MILLIS = 20;

    private final ControlledListener publisher;
    private final List<Runnable> incidents = new ArrayList<>();
    private int events = 1000;
    private int keys = 200;

    /**
     * Results of a drill.
     *
     * @param done events with status DONE
     * @param dead events with status DEAD
     * @param pending events still pending when the time was over
     * @param failedAttempts how often the publisher failed
     * @param openings how often its circuit breaker opened
     * @param callsWhileOpen how often it was called although its breaker was open
     */
    public record Report(long done, long dead, long pending, int failedAttempts, int openings, int callsWhileOpen) {
        /**
         * Whether there were no calls while the breaker was open, except those already starting when it opened: at most
         * one per worker.
         */
        public boolean leftAloneWhileOpen() {
            return callsWhileOpen <= openings * OutboxDispatcher.DEFAULT_WORKER_COUNT;
        }
    }

    /** @param publisher with the limits to test */
    public OutageDrill(ControlledListener publisher) {
        this.publisher = Objects.requireNonNull(publisher, "publisher");
    }

    /** How many events; default 1000. */
    public OutageDrill events(int count) {
        this.events = count;
        return this;
    }

    /** Over how many keys they are spread; default 200. */
    public OutageDrill keys(int count) {
        this.keys = count;
        return this;
    }

    /** Adds an incident; n incidents happen when 1/(n+1), 2/(n+1), … of the events are done. */
    public OutageDrill incident(Runnable incident) {
        incidents.add(Objects.requireNonNull(incident, "incident"));
        return this;
    }

    /** Runs until every event is done or dead, or the time is over. */
    public Report run(Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        InMemoryOutboxStore store = new InMemoryOutboxStore();
        AtomicInteger failed = new AtomicInteger();
        AtomicInteger callsWhileOpen = new AtomicInteger();
        Openings openings = new Openings();
        try (Outbox outbox = Outbox.singleNode()
                .store(store)
                .connections(store.connectionProvider())
                .transactions(store.txContext())
                .listeners(new DefaultListenerRegistry().register(AGGREGATE_TYPE, EVENT_TYPE, publisher))
                .ordered()
                .pollInterval(Duration.ofMillis(POLL_MILLIS))
                .metrics(openings)
                .interceptor(EventInterceptor.before(event -> {
                    if (publisher.breakerState() == BreakerState.OPEN) {
                        callsWhileOpen.incrementAndGet();
                    }
                }))
                .interceptor(EventInterceptor.after((event, error) -> {
                    if (error != null) {
                        failed.incrementAndGet();
                    }
                }))
                .build()) {
            write(store);
            outbox.start();
            for (int i = 0; i < incidents.size(); i++) {
                awaitDone(store, (long) events * (i + 1) / (incidents.size() + 1), deadline);
                incidents.get(i).run();
            }
            awaitDone(store, events, deadline);
            long done = store.count(EventStatus.DONE);
            long dead = store.count(EventStatus.DEAD);
            return new Report(
                    done, dead, events - done - dead, failed.get(), openings.count.get(), callsWhileOpen.get());
        }
    }

    private void write(InMemoryOutboxStore store) {
        InMemoryTxContext transactions = store.txContext();
        for (int from = 0; from < events; from += EVENTS_PER_TRANSACTION) {
            List<EventEnvelope> batch = new ArrayList<>();
            for (int number = from; number < Math.min(events, from + EVENTS_PER_TRANSACTION); number++) {
                batch.add(event(number));
            }
            transactions.inTransaction(() -> store.insertBatch(transactions.currentConnection(), batch));
        }
    }

    private EventEnvelope event(int number) {
        return EventEnvelope.builder(EVENT_TYPE)
                .aggregateType(AGGREGATE_TYPE)
                .aggregateId("key-" + number % keys)
                .payloadJson("{\"key\":\"key-" + number % keys + "\",\"step\":" + number / keys + "}")
                .build();
    }

    private static void awaitDone(InMemoryOutboxStore store, long count, long deadline) {
        while (store.count(EventStatus.DONE) + store.count(EventStatus.DEAD) < count && System.nanoTime() < deadline) {
            try {
                Thread.sleep(POLL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while events were pending", e);
            }
        }
    }

    private static final class Openings implements MetricsExporter {
        private final AtomicInteger count = new AtomicInteger();

        @Override
        public void recordBreakerState(String listener, BreakerState state) {
            if (state == BreakerState.OPEN) {
                count.incrementAndGet();
            }
        }

        @Override
        public void incrementHotEnqueued() {}

        @Override
        public void incrementHotDropped() {}

        @Override
        public void incrementColdEnqueued() {}

        @Override
        public void incrementDispatchSuccess() {}

        @Override
        public void incrementDispatchFailure() {}

        @Override
        public void incrementDispatchDead() {}

        @Override
        public void recordQueueDepths(int hotDepth, int coldDepth) {}

        @Override
        public void recordOldestLagMs(long lagMs) {}
    }
}
