package outbox.benchmark.micro;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.LeasedWriterHook;
import outbox.OutboxWriter;
import outbox.benchmark.BenchDatabase;
import outbox.benchmark.BenchServer;
import outbox.benchmark.Payloads;
import outbox.benchmark.Writers;
import outbox.benchmark.raw.OutboxTable;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.store.PostgresOutboxStore;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.model.Lease;
import outbox.spi.Settlement;
import outbox.spi.UnitOfWork;
import outbox.util.LeaseOwner;

/**
 * The candidates for the hand-off queue where they are used: writers commit an event each on PostgreSQL, the queue
 * brings it to four workers, one thread settles in batches. Everything but the queue is the same. Rounds alternate.
 */
public final class QueuesEndToEnd {
    private static final List<String> QUEUES =
            List.of("HandOff", "ArrayBlockingQueue", "LinkedTransferQueue", "ConcurrentLinkedQueue", "Disruptor");
    private static final int[] PRODUCERS = {1, 4, 16};
    private static final int WORKERS = 4;
    private static final int MAX_BATCH = 1000;

    private final BenchDatabase database;
    private final HikariDataSource pool;
    private final PostgresOutboxStore store = new PostgresOutboxStore();
    private final ThreadLocalTxContext txContext = new ThreadLocalTxContext();

    private QueuesEndToEnd(BenchDatabase database, HikariDataSource pool) {
        this.database = database;
        this.pool = pool;
    }

    /** @param args how many rounds (5) and how many events a writer and round (1000) */
    public static void main(String[] args) throws Exception {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 5;
        int events = args.length > 1 ? Integer.parseInt(args[1]) : 1000;
        try (BenchServer server = BenchServer.start(BenchServer.Kind.POSTGRESQL)) {
            BenchDatabase database = server.freshDatabase();
            OutboxTable.create(database);
            try (HikariDataSource pool = database.pool()) {
                new QueuesEndToEnd(database, pool).run(rounds, events);
            }
        }
    }

    private void run(int rounds, int events) throws Exception {
        Map<String, double[]> rates = new LinkedHashMap<>();
        for (int round = 0; round <= rounds; round++) { // the first does not count
            List<String> order = new ArrayList<>(QUEUES);
            if (round % 2 == 0) {
                Collections.reverse(order);
            }
            for (int producers : PRODUCERS) {
                for (String queue : order) {
                    double rate = rate(queue, producers, events * Math.max(1, producers / 4));
                    if (round > 0) {
                        rates.computeIfAbsent(queue + " " + producers, key -> new double[rounds])[round - 1] = rate;
                    }
                }
            }
            System.out.println("round " + round + " of " + rounds);
        }
        System.out.println("| queue | 1 writer | 4 writers | 16 writers |\n| --- | ---: | ---: | ---: |");
        for (String queue : QUEUES) {
            StringBuilder line = new StringBuilder("| " + queue);
            for (int producers : PRODUCERS) {
                double[] all = Objects.requireNonNull(rates.get(queue + " " + producers));
                Arrays.sort(all);
                line.append(
                        String.format(Locale.ROOT, " | %.0f (%.0f – %.0f)", all[rounds / 2], all[0], all[rounds - 1]));
            }
            System.out.println(line + " |");
        }
    }

    /** Events a second from the first write to the last settled row. */
    private double rate(String name, int producers, int events) throws Exception {
        OutboxTable.clear(database);
        String owner = LeaseOwner.incarnationOf("bench");
        HandOffQueue queue = HandOffQueue.of(name);
        BlockingQueue<String> delivered = new LinkedBlockingQueue<>();
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            queue.start(threads, WORKERS, event -> delivered.add(((EventEnvelope) event).eventId()));
            OutboxWriter writer = new OutboxWriter(txContext, store, new QueueHook(queue, owner));
            JdbcTransactionManager transactions =
                    new JdbcTransactionManager(new DataSourceConnectionProvider(pool), txContext);
            Thread settler = new Thread(() -> settle(delivered, owner, events));
            settler.start();
            long start = Writers.together(producers, (number, go) -> {
                go.await();
                for (int event = number; event < events; event += producers) {
                    try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
                        writer.write(EventEnvelope.ofJson("Bench", Payloads.of(event)));
                        tx.commit();
                    }
                }
            });
            settler.join();
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            if (OutboxTable.done(database) != events) {
                throw new IllegalStateException(name + " settled " + OutboxTable.done(database) + " of " + events);
            }
            return events * 1e9 / took.toNanos();
        } finally {
            queue.stop();
            threads.shutdownNow();
        }
    }

    private void settle(BlockingQueue<String> delivered, String owner, int events) {
        List<String> batch = new ArrayList<>();
        try {
            for (int settled = 0; settled < events; settled += batch.size()) {
                batch.clear();
                batch.add(delivered.take());
                delivered.drainTo(batch, MAX_BATCH - 1);
                List<Settlement> done = new ArrayList<>(batch.size());
                batch.forEach(id -> done.add(new Settlement.Done(id)));
                UnitOfWork.single(new DataSourceConnectionProvider(pool), conn -> store.settle(conn, owner, done));
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Hands events to the queue after commit; a full queue is tried again, so that each comes through it. */
    private record QueueHook(HandOffQueue queue, String owner) implements LeasedWriterHook {
        @Override
        public @Nullable Lease lease() {
            return new Lease(owner, System.nanoTime());
        }

        @Override
        public boolean isInTime(Lease lease) {
            return true;
        }

        @Override
        public void afterRelease(List<EventEnvelope> events) {
            throw new IllegalStateException("all leases are in time");
        }

        @Override
        @SuppressWarnings("ThreadPriorityCheck") // more threads than cores: a producer must let the workers run
        public void afterCommit(List<EventEnvelope> events, Lease lease) {
            for (EventEnvelope event : events) {
                while (!queue.offer(event)) {
                    Thread.yield();
                }
            }
        }
    }
}
