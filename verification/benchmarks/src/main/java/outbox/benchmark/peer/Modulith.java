package outbox.benchmark.peer;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.modulith.events.ApplicationModuleListener;
import org.springframework.modulith.events.IncompleteEventPublications;
import org.springframework.modulith.events.ResubmissionOptions;
import org.springframework.scheduling.annotation.EnableAsync;
import outbox.benchmark.BenchDatabase;
import outbox.benchmark.Contender;
import outbox.benchmark.Payloads;
import outbox.benchmark.Versions;

/** Spring Modulith's event publication registry: listeners run after commit, completion is written behind them. */
public final class Modulith implements Contender {
    /** As its scripts write it: MySQL and MariaDB know it under this name only. */
    private static final String TABLE = "EVENT_PUBLICATION";

    static final List<String> AUTO_CONFIGURATIONS = List.of(
            "org.springframework.modulith.events.config.EventPublicationAutoConfiguration",
            "org.springframework.modulith.events.jdbc.JdbcEventPublicationAutoConfiguration");
    private static final List<String> OTHERS = Namastack.AUTO_CONFIGURATIONS;

    @Override
    public String id() {
        return "modulith";
    }

    @Override
    public String title() {
        return "Spring Modulith events " + Versions.of(id());
    }

    @Override
    public String remarks() {
        return "@ApplicationModuleListener on an executor of " + Peers.THREADS + " threads, schema v2, completion mode"
                + " update. It has no poller: cold is resubmitIncompletePublications, called until nothing is left.";
    }

    /** The event. */
    public record Happened(int number, String payload) {}

    /** The application. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableAsync
    public static class Application {
        @Bean
        Listener listener(SpringPeer.Deliveries deliveries) {
            return new Listener(deliveries.listener());
        }
    }

    /** Its listener. */
    public static class Listener {
        private final Runnable deliveries;

        Listener(Runnable deliveries) {
            this.deliveries = deliveries;
        }

        @ApplicationModuleListener
        public void on(Happened event) {
            deliveries.run();
        }
    }

    private static SpringPeer application(BenchDatabase database, Runnable listener, int threads) {
        return new SpringPeer(
                Application.class,
                database,
                listener,
                OTHERS,
                Map.of(
                        "spring.modulith.events.jdbc.schema-initialization.enabled", true,
                        "spring.task.execution.pool.core-size", threads,
                        "spring.task.execution.pool.max-size", threads));
    }

    @Override
    public void createTables(BenchDatabase database) {
        application(database, () -> {}, Peers.THREADS).close();
    }

    @Override
    public void clear(BenchDatabase database) throws SQLException {
        database.clear(TABLE);
    }

    /** Publishes where the listener fails, so that the publications stay incomplete. */
    @Override
    public void seed(BenchDatabase database, int events) throws Exception {
        java.util.concurrent.atomic.AtomicInteger failed = new java.util.concurrent.atomic.AtomicInteger();
        try (SpringPeer peer = application(
                database,
                () -> {
                    failed.incrementAndGet();
                    throw new NotNow();
                },
                Peers.THREADS)) {
            ApplicationEventPublisher publisher = peer.publisher();
            for (int from = 0; from < events; from += Peers.SEED_BATCH) {
                int first = from;
                peer.inTransaction(() -> {
                    for (int i = first; i < Math.min(events, first + Peers.SEED_BATCH); i++) {
                        publisher.publishEvent(new Happened(i, Payloads.of(i)));
                    }
                });
            }
            while (failed.get() < events) {
                Thread.sleep(5);
            }
        }
        database.analyze(TABLE);
    }

    private static final class NotNow extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NotNow() {
            super("left for the cold drain", null, false, false);
        }
    }

    @Override
    public Engine start(BenchDatabase database, Runnable listener) throws SQLException {
        Running running = new Running(database, listener);
        if (running.unsettled() > 0) {
            running.resubmitting.start(); // while there are only new publications it would send them twice
        }
        return running;
    }

    private static final class Running implements Engine {
        private final BenchDatabase database;
        private final SpringPeer peer;
        private final ApplicationEventPublisher publisher;
        private final Thread resubmitting;
        private volatile boolean closed;

        private Running(BenchDatabase database, Runnable listener) {
            this.database = database;
            this.peer = application(database, listener, Peers.THREADS);
            this.publisher = peer.publisher();
            this.resubmitting = new Thread(this::resubmit, "modulith-resubmission");
        }

        private void resubmit() {
            IncompleteEventPublications incomplete = peer.bean(IncompleteEventPublications.class);
            try {
                while (!closed) {
                    incomplete.resubmitIncompletePublications(
                            ResubmissionOptions.defaults().withBatchSize(1000).withMaxInFlight(2000));
                    Thread.sleep(100);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void write(int number) {
            peer.inTransaction(() -> publisher.publishEvent(new Happened(number, Payloads.of(number))));
        }

        @Override
        public long unsettled() throws SQLException {
            return database.askNumber("SELECT COUNT(*) FROM " + TABLE + " WHERE completion_date IS NULL");
        }

        @Override
        public void close() {
            closed = true;
            resubmitting.interrupt();
            peer.close();
        }
    }
}
