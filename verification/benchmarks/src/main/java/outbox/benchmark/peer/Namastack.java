package outbox.benchmark.peer;

import io.namastack.outbox.Outbox;
import io.namastack.outbox.handler.OutboxRecordMetadata;
import io.namastack.outbox.handler.OutboxTypedHandler;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import outbox.benchmark.BenchDatabase;
import outbox.benchmark.Contender;
import outbox.benchmark.Payloads;
import outbox.benchmark.Versions;

/** Namastack outbox: records in a table, polled key by key in partitions. */
public final class Namastack implements Contender {
    static final List<String> AUTO_CONFIGURATIONS = List.of(
            "io.namastack.outbox.config.OutboxCoreInfrastructureAutoConfiguration",
            "io.namastack.outbox.config.OutboxCoreMulticasterAutoConfiguration",
            "io.namastack.outbox.config.OutboxCoreProcessingAutoConfiguration",
            "io.namastack.outbox.config.OutboxCoreSchedulingAutoConfiguration",
            "io.namastack.outbox.config.OutboxCoreThreadingAutoConfiguration",
            "io.namastack.outbox.config.JdbcOutboxAutoConfiguration",
            "io.namastack.outbox.config.JdbcOutboxSchemaAutoConfiguration",
            "io.namastack.outbox.OutboxJacksonAutoConfiguration");
    private static final String TABLE = "outbox_record";
    private static final List<String> OTHERS = Modulith.AUTO_CONFIGURATIONS;

    @Override
    public String id() {
        return "namastack";
    }

    @Override
    public String title() {
        return "Namastack outbox " + Versions.of(id());
    }

    @Override
    public String remarks() {
        return "Polls every 50 ms, 1000 keys a batch, " + Peers.THREADS + " threads, one key an event. It has no path"
                + " past the table: hot is written and polled.";
    }

    /** The application. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @org.springframework.scheduling.annotation.EnableScheduling
    public static class Application {
        @Bean
        Handler handler(SpringPeer.Deliveries deliveries) {
            return new Handler(deliveries.listener());
        }
    }

    /** Its handler. */
    public static class Handler implements OutboxTypedHandler<String> {
        private final Runnable deliveries;

        Handler(Runnable deliveries) {
            this.deliveries = deliveries;
        }

        @Override
        public void handle(String payload, OutboxRecordMetadata metadata) {
            deliveries.run();
        }
    }

    private static SpringPeer application(BenchDatabase database, Runnable listener, String pollEvery) {
        return new SpringPeer(
                Application.class,
                database,
                listener,
                OTHERS,
                Map.of(
                        "namastack.outbox.jdbc.schema-initialization.enabled",
                        true,
                        "namastack.outbox.polling.fixed.interval",
                        pollEvery,
                        "namastack.outbox.polling.batch-size",
                        1000,
                        "namastack.outbox.processing.executor-core-pool-size",
                        Peers.THREADS,
                        "namastack.outbox.processing.executor-max-pool-size",
                        Peers.THREADS));
    }

    @Override
    public void createTables(BenchDatabase database) {
        application(database, () -> {}, "1h").close();
    }

    @Override
    public void clear(BenchDatabase database) throws SQLException {
        database.clear(TABLE);
    }

    @Override
    public void seed(BenchDatabase database, int events) throws SQLException {
        try (SpringPeer peer = application(database, () -> {}, "1h")) {
            Outbox outbox = peer.bean(Outbox.class);
            for (int from = 0; from < events; from += Peers.SEED_BATCH) {
                int first = from;
                peer.inTransaction(() -> {
                    for (int i = first; i < Math.min(events, first + Peers.SEED_BATCH); i++) {
                        outbox.schedule(Payloads.of(i));
                    }
                });
            }
        }
        database.analyze(TABLE);
    }

    @Override
    public Engine start(BenchDatabase database, Runnable listener) {
        return new Running(database, listener);
    }

    private static final class Running implements Engine {
        private final BenchDatabase database;
        private final SpringPeer peer;
        private final Outbox outbox;

        private Running(BenchDatabase database, Runnable listener) {
            this.database = database;
            this.peer = application(database, listener, "50ms");
            this.outbox = peer.bean(Outbox.class);
        }

        @Override
        public void write(int number) {
            peer.inTransaction(() -> outbox.schedule(Payloads.of(number)));
        }

        @Override
        public long unsettled() throws SQLException {
            return database.askNumber("SELECT COUNT(*) FROM " + TABLE + " WHERE completed_at IS NULL");
        }

        @Override
        public void close() {
            peer.close();
        }
    }
}
