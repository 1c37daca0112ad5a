package outbox.dispatch;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import outbox.AsyncEventListener;
import outbox.BatchEventListener;
import outbox.BatchFailedException;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.OutboxWriter;
import outbox.listener.ControlledListener;
import outbox.poller.OutboxPoller;
import outbox.spi.TxContext;

/** One life of a node: an engine without threads, its view of the database, and what it would lose in a crash. */
final class SimulatedNode {
    static final Duration LEASE = Duration.ofSeconds(10);
    static final int MAX_ATTEMPTS = 3;
    private static final long BYTES_IN_FLIGHT = 480_000;
    /** Of payloads. */
    static final int LARGE = 60_000;
    /** What a claim may bring before the memory of a node is used up: its bound, and the row that goes beyond it. */
    static final long HEAP = BYTES_IN_FLIGHT / 4 + LARGE + 1_000;

    private final Simulation world;
    private final OutboxDispatcher dispatcher;
    private final OutboxPoller poller;
    private final SimulatedStore store;
    private final WriterHookOfNode hook;
    private final Queue<Runnable> afterCommit = new ArrayDeque<>();
    boolean crashed;
    boolean paused;
    boolean databaseAway;
    boolean answerLost;
    private final Queue<Runnable> inFlight = new ArrayDeque<>();
    private boolean polling;
    private boolean settling;
    private boolean renewing;

    /**
     * @param called told of every event its listener is called with
     * @param effect what the listener does with each
     */
    SimulatedNode(
            Simulation world,
            String id,
            InstantSource clock,
            Consumer<EventEnvelope> called,
            Consumer<EventEnvelope> effect) {
        this.world = world;
        this.store = new SimulatedStore(world, clock, this::takeTime, this::answer);
        EventListener listener = listener(called, effect);
        this.dispatcher = OutboxDispatcher.builder()
                .outboxStore(store)
                .connectionProvider(this::connection)
                .listenerRegistry((aggregateType, eventType) -> listener)
                .leaseTime(LEASE)
                .hotQueueCapacity(6)
                .coldQueueCapacity(12)
                .maxBytesInFlight(BYTES_IN_FLIGHT)
                .maxAttempts(MAX_ATTEMPTS)
                .completionMode(world.completion)
                .retryPolicy(attempts -> 500)
                .nodeId(id)
                .ordered(world.ordered)
                .clock(clock)
                .timeLimit(world.timeLimit())
                .withoutThreads()
                .build();
        this.poller = OutboxPoller.builder()
                .outboxStore(store)
                .connectionProvider(this::connection)
                .handler(new DispatcherPollerHandler(dispatcher))
                .claimLocking(LEASE)
                .ordered(world.ordered)
                .batchSize(7)
                .maxBatchBytes(BYTES_IN_FLIGHT / 4)
                .clock(clock)
                .build();
        this.hook = new WriterHookOfNode(new DispatcherWriterHook(dispatcher));
    }

    private EventListener listener(Consumer<EventEnvelope> called, Consumer<EventEnvelope> effect) {
        EventListener plain = event -> {
            called.accept(event);
            effect.accept(event);
        };
        BatchEventListener batch = events -> {
            events.forEach(called);
            Map<String, Exception> failures = new HashMap<>();
            for (EventEnvelope event : events) {
                try {
                    effect.accept(event);
                } catch (IllegalStateException e) { // others fail the batch as a whole
                    failures.put(event.eventId(), e);
                }
            }
            if (!failures.isEmpty()) {
                throw new BatchFailedException(failures);
            }
        };
        AsyncEventListener asynchronous = event -> {
            called.accept(event);
            Hostility hostility = Hostility.of(event).orElse(null);
            if (hostility == Hostility.NEVER_COMPLETES) {
                return new CompletableFuture<>();
            } else if (hostility == Hostility.COMPLETES_TWICE) {
                return new TwiceStage();
            }
            CompletableFuture<Void> end = new CompletableFuture<>();
            inFlight.add(() -> {
                try {
                    effect.accept(event);
                    end.complete(null);
                } catch (RuntimeException | Error e) {
                    fail(end, e);
                }
            });
            return end;
        };
        return switch (world.style) {
            case PLAIN -> plain;
            case BATCH -> batch;
            case CONTROLLED -> controlled(plain, 2);
            case CONTROLLED_BATCH -> controlled(batch, 1);
            case ASYNCHRONOUS -> asynchronous;
        };
    }

    private static void fail(CompletableFuture<Void> stage, Throwable failure) {
        try {
            stage.completeExceptionally(failure);
        } catch (RuntimeException e) {
            // the JDK asks the failure for its text, after all that depend on the stage were told
        }
    }

    /** Tells a failure, and then that all is well. */
    private static final class TwiceStage extends CompletableFuture<Void> {
        @Override
        public CompletableFuture<Void> whenComplete(BiConsumer<? super Void, ? super Throwable> action) {
            action.accept(null, new IllegalStateException("first"));
            action.accept(null, null);
            return this;
        }
    }

    private static EventListener controlled(EventListener listener, int concurrency) {
        return ControlledListener.of(listener)
                .concurrency(concurrency)
                .circuitBreaker(2, Duration.ofSeconds(2))
                .build();
    }

    /** The bridge to the dispatcher is final; this gives the writer the very same calls. */
    private record WriterHookOfNode(DispatcherWriterHook bridge) {}

    boolean works() {
        return !crashed && !paused;
    }

    Connection connection() throws SQLException {
        if (databaseAway) {
            throw new SQLException("simulated: database away", "08006");
        }
        return world.table.connectionProvider().getConnection();
    }

    private void answer() {
        if (answerLost) {
            answerLost = false;
            Simulation.trace(() -> "the answer gets lost");
            if (world.random.nextInt(4) == 0) {
                throw new StackOverflowError("simulated: after the statement was committed");
            }
            throw new IllegalStateException("simulated: committed, but the answer got lost");
        }
    }

    /** Writes in a transaction of the business; what the engine does after commit is kept for a later turn. */
    void write(List<EventEnvelope> events, boolean commit) throws SQLException {
        try (Connection conn = world.table.connectionProvider().getConnection()) {
            conn.setAutoCommit(false);
            List<Runnable> callbacks = new ArrayList<>();
            new OutboxWriter(new Transaction(conn, callbacks), store, hook.bridge()).writeAll(events);
            if (commit) {
                conn.commit();
                afterCommit.addAll(callbacks);
            } else {
                conn.rollback();
            }
        }
    }

    private record Transaction(Connection currentConnection, List<Runnable> callbacks) implements TxContext {
        @Override
        public boolean isTransactionActive() {
            return true;
        }

        @Override
        public void afterCommit(Runnable callback) {
            callbacks.add(callback);
        }

        @Override
        public void afterRollback(Runnable callback) {}
    }

    boolean runHook() {
        Runnable next = afterCommit.poll();
        if (next != null) {
            next.run();
        }
        return next != null;
    }

    boolean work() {
        return dispatcher.steps().workOnce();
    }

    /** Lets the oldest delivery of an asynchronous listener end. */
    boolean endOne() {
        Runnable next = inFlight.poll();
        if (next != null) {
            next.run();
        }
        return next != null;
    }

    /** There is one settling thread. */
    void settle() {
        if (!settling) {
            settling = true;
            try {
                dispatcher.steps().settleOnce();
            } finally {
                settling = false;
            }
        }
    }

    /** As {@code close()} with its threads does: what runs may end, what waits goes back, all of it is written. */
    void stop() {
        poller.close();
        while (endOne()) {}
        dispatcher.close();
        while (runHook()) {}
        for (int tries = 0; tries < 3 && dispatcher.steps().hasOutcomes(); tries++) {
            settle();
        }
    }

    /** There is one polling thread: a poll inside a poll does not exist. */
    void poll() {
        if (!polling) {
            polling = true;
            try {
                poller.poll();
            } catch (StackOverflowError e) {
                Simulation.trace(() -> "poll ended by an Error; its loop goes on");
            } finally {
                polling = false;
            }
        }
    }

    /** A renewal that is answered late is a fault: the leases may be over by then. */
    private void takeTime() {
        if (!renewing || world.faults) {
            world.interleave(6);
        }
    }

    /** As the thread does that looks after the limits. */
    void enforceTimeLimits() {
        dispatcher.steps().enforceTimeLimitsOnce();
    }

    void renew() {
        if (!renewing && !world.off.contains(Safeguard.RENEWAL)) {
            renewing = true;
            try {
                dispatcher.steps().renewOnce();
            } catch (StackOverflowError e) {
                Simulation.trace(() -> "renewal ended by an Error; its loop goes on");
            } finally {
                renewing = false;
            }
        }
    }
}
