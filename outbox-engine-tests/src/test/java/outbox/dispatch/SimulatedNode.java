package outbox.dispatch;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.OutboxWriter;
import outbox.poller.OutboxPoller;
import outbox.spi.TxContext;

/** One life of a node: an engine without threads, its view of the database, and what it would lose in a crash. */
final class SimulatedNode {
    static final Duration LEASE = Duration.ofSeconds(10);

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
    private boolean polling;

    SimulatedNode(Simulation world, String id, InstantSource clock, EventListener listener) {
        this.world = world;
        this.store = new SimulatedStore(
                world.table, world.off, clock, world.random, world::violation, this::takeTimeToHandOver, this::answer);
        this.dispatcher = OutboxDispatcher.builder()
                .outboxStore(store)
                .connectionProvider(this::connection)
                .listenerRegistry((aggregateType, eventType) -> listener)
                .leaseTime(LEASE)
                .hotQueueCapacity(6)
                .coldQueueCapacity(12)
                .maxAttempts(100_000)
                .retryPolicy(attempts -> 500)
                .nodeId(id)
                .ordered(world.ordered)
                .clock(clock)
                .withoutThreads()
                .build();
        this.poller = OutboxPoller.builder()
                .outboxStore(store)
                .connectionProvider(this::connection)
                .handler(new DispatcherPollerHandler(dispatcher))
                .claimLocking(LEASE)
                .ordered(world.ordered)
                .batchSize(7)
                .clock(clock)
                .build();
        this.hook = new WriterHookOfNode(new DispatcherWriterHook(dispatcher));
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
        return dispatcher.workOnce();
    }

    boolean settle() {
        return dispatcher.settleOnce();
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

    private void takeTimeToHandOver() {
        world.interleave(6);
    }

    void renew() {
        if (!world.off.contains(Safeguard.RENEWAL)) {
            try {
                dispatcher.renewOnce();
            } catch (StackOverflowError e) {
                Simulation.trace(() -> "renewal ended by an Error; its loop goes on");
            }
        }
    }
}
