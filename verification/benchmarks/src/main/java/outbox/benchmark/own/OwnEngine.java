package outbox.benchmark.own;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.benchmark.BenchDatabase;
import outbox.benchmark.Contender;
import outbox.benchmark.Payloads;
import outbox.benchmark.raw.OutboxTable;
import outbox.domain.handler.EventHandlers;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.registry.DefaultListenerRegistry;
import outbox.registry.ListenerRegistry;
import outbox.spi.ConnectionProvider;
import outbox.spi.TxContext;

/** This project at work, wired as a user without Spring would do it, with its defaults. */
final class OwnEngine implements Contender.Engine {
    static final String EVENT_TYPE = "BenchmarkHappened";
    static final String AGGREGATE_TYPE = "Benchmark";

    private final BenchDatabase database;
    private final int keys;
    private final HikariDataSource pool;
    private final ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    private final JdbcTransactionManager transactions;
    private final DeliveryCounts counts = new DeliveryCounts();
    private final AtomicLong expected = new AtomicLong();
    private final ListenerRegistry listeners;
    private final Outbox outbox;

    /** Who gets the events. */
    @FunctionalInterface
    interface Listeners {
        ListenerRegistry on(ConnectionProvider connections, TxContext txContext, JdbcTransactionManager transactions);

        static Listeners plain(EventListener listener) {
            return (connections, txContext, transactions) ->
                    new DefaultListenerRegistry().register(AGGREGATE_TYPE, EVENT_TYPE, listener);
        }
    }

    OwnEngine(BenchDatabase database, EventListener listener, int keys, UnaryOperator<OutboxBuilder> settings)
            throws SQLException {
        this(database, Listeners.plain(listener), keys, settings);
    }

    /** @param keys over how many aggregates the events are spread; 0 for events without an aggregate id */
    OwnEngine(BenchDatabase database, Listeners listeners, int keys, UnaryOperator<OutboxBuilder> settings)
            throws SQLException {
        this.database = database;
        this.keys = keys;
        this.pool = database.pool();
        DataSourceConnectionProvider connections = new DataSourceConnectionProvider(pool);
        this.transactions = new JdbcTransactionManager(connections, txContext);
        this.listeners = listeners.on(connections, txContext, transactions);
        expected.set(OutboxTable.pending(database));
        this.outbox = settings.apply(Outbox.multiNode()
                        .store(JdbcOutboxStores.detect(database.jdbcUrl()))
                        .connections(connections)
                        .transactions(txContext)
                        .listeners(this.listeners)
                        .metrics(counts))
                .build()
                .start();
    }

    Outbox outbox() {
        return outbox;
    }

    DeliveryCounts counts() {
        return counts;
    }

    JdbcTransactionManager transactions() {
        return transactions;
    }

    ThreadLocalTxContext txContext() {
        return txContext;
    }

    static EventEnvelope event(int number, int keys) {
        EventEnvelope.Builder event = EventEnvelope.builder(EVENT_TYPE).aggregateType(AGGREGATE_TYPE);
        if (keys > 0) {
            event.aggregateId("key-" + number % keys);
        }
        return event.payloadJson(Payloads.of(number)).build();
    }

    @Override
    public void write(int number) throws SQLException {
        write(number, null);
    }

    /** @param afterCommit runs right after the commit, before the engine gets the event */
    void write(int number, @Nullable Runnable afterCommit) throws SQLException {
        expected.incrementAndGet();
        try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
            if (afterCommit != null) {
                txContext.afterCommit(afterCommit);
            }
            outbox.writer().write(event(number, keys));
            tx.commit();
        }
    }

    @Override
    public long unsettled() throws SQLException {
        long open = expected.get() - counts.settled();
        return open > 0 ? open : OutboxTable.pending(database);
    }

    @Override
    public void close() {
        outbox.close();
        if (listeners instanceof EventHandlers handlers) {
            handlers.close();
        }
        pool.close();
    }
}
