package outbox.benchmark.peer;

import com.gruelbox.transactionoutbox.Dialect;
import com.gruelbox.transactionoutbox.Instantiator;
import com.gruelbox.transactionoutbox.Persistor;
import com.gruelbox.transactionoutbox.Submitter;
import com.gruelbox.transactionoutbox.TransactionManager;
import com.gruelbox.transactionoutbox.TransactionOutbox;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import outbox.benchmark.BenchDatabase;
import outbox.benchmark.Contender;
import outbox.benchmark.Payloads;
import outbox.benchmark.Versions;

/** gruelbox transaction-outbox: calls a method after commit, {@code flush()} finds what was left. */
public final class Gruelbox implements Contender {
    private static final String TABLE = "TXNO_OUTBOX";
    /** It insists on due times in the future; seeded events are due when the drain starts. */
    private static final Duration DUE_AFTER = Duration.ofSeconds(2);

    @Override
    public String id() {
        return "gruelbox";
    }

    @Override
    public String title() {
        return "gruelbox transaction-outbox " + Versions.of(id()) + " (older than its upstream)";
    }

    @Override
    public String remarks() {
        return "Submitter with " + Peers.THREADS + " threads and its default queue of 16384, flush() in a thread of"
                + " its own as its README shows, default flushBatchSize 4096; processed rows are deleted.";
    }

    /** What its proxy calls. */
    public interface Handler {
        void handle(String payload);
    }

    @Override
    public void createTables(BenchDatabase database) {
        try (HikariDataSource pool = database.pool()) {
            outbox(TransactionManager.fromDataSource(pool), database, () -> {}, (entry, work) -> {}, Duration.ZERO);
        }
    }

    private static TransactionOutbox outbox(
            TransactionManager transactions,
            BenchDatabase database,
            Runnable listener,
            Submitter submitter,
            Duration attemptFrequency) {
        Handler handler = payload -> listener.run();
        return TransactionOutbox.builder()
                .transactionManager(transactions)
                .persistor(Persistor.forDialect(
                        switch (database.kind()) {
                            case POSTGRESQL -> Dialect.POSTGRESQL_9;
                            case MYSQL, MARIADB -> Dialect.MY_SQL_8;
                            case H2 -> Dialect.H2;
                        }))
                .instantiator(Instantiator.using(type -> handler))
                .submitter(submitter)
                .attemptFrequency(attemptFrequency)
                .build();
    }

    @Override
    public void clear(BenchDatabase database) throws SQLException {
        database.clear(TABLE);
    }

    @Override
    public void seed(BenchDatabase database, int events) throws SQLException, InterruptedException {
        try (HikariDataSource pool = database.pool()) {
            TransactionManager transactions = TransactionManager.fromDataSource(pool);
            TransactionOutbox outbox = outbox(transactions, database, () -> {}, (entry, work) -> {}, DUE_AFTER);
            for (int from = 0; from < events; from += Peers.SEED_BATCH) {
                int first = from;
                transactions.inTransaction(() -> {
                    for (int i = first; i < Math.min(events, first + Peers.SEED_BATCH); i++) {
                        outbox.schedule(Handler.class).handle(Payloads.of(i));
                    }
                });
            }
        }
        database.analyze(TABLE);
        Thread.sleep(DUE_AFTER.toMillis());
    }

    @Override
    public Engine start(BenchDatabase database, Runnable listener) {
        return new Running(database, listener);
    }

    private static final class Running implements Engine {
        private final BenchDatabase database;
        private final HikariDataSource pool;
        private final ExecutorService executor = new ThreadPoolExecutor(
                Peers.THREADS, Peers.THREADS, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(16384));
        private final ScheduledExecutorService flusher = Executors.newSingleThreadScheduledExecutor();
        private final TransactionManager transactions;
        private final TransactionOutbox outbox;

        @SuppressWarnings("FutureReturnValueIgnored") // flush() logs what goes wrong
        private Running(BenchDatabase database, Runnable listener) {
            this.database = database;
            this.pool = database.pool();
            this.transactions = TransactionManager.fromDataSource(pool);
            this.outbox =
                    outbox(transactions, database, listener, Submitter.withExecutor(executor), Duration.ofSeconds(30));
            flusher.scheduleWithFixedDelay(this::flush, 0, 500, TimeUnit.MILLISECONDS);
        }

        private void flush() {
            while (outbox.flush() && !flusher.isShutdown()) {
                Thread.onSpinWait();
            }
        }

        @Override
        public void write(int number) {
            transactions.inTransaction(() -> outbox.schedule(Handler.class).handle(Payloads.of(number)));
        }

        @Override
        public long unsettled() throws SQLException {
            return database.askNumber("SELECT COUNT(*) FROM " + TABLE);
        }

        @Override
        public void close() {
            flusher.shutdownNow();
            executor.shutdownNow();
            pool.close();
        }
    }
}
