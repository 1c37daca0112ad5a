package outbox.idempotency.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import outbox.Outbox;
import outbox.domain.TransactionRunner;
import outbox.domain.TxMode;
import outbox.domain.handler.EventHandler;
import outbox.domain.handler.EventHandlers;
import outbox.domain.jackson.PayloadSerializers;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableNames;
import outbox.jdbc.store.JdbcOutbox;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.spi.ConnectionProvider;
import outbox.testing.Outboxes;

/** A process that consumes events and halts in the middle of one, without any farewell. Ends with 0 if none is left. */
final class ConsumerProcess {
    private static final int CRASHED = 42;

    private final ThreadLocalTxContext tx = new ThreadLocalTxContext();
    private final AtomicInteger handled = new AtomicInteger();
    private final int crashAt;
    private final boolean afterCommit;

    private ConsumerProcess(int crashAt, boolean afterCommit) {
        this.crashAt = crashAt;
        this.afterCommit = afterCommit;
    }

    /** Arguments: JDBC URL, user, at which event to halt, whether after its commit or before. */
    public static void main(String[] args) throws Exception {
        new ConsumerProcess(Integer.parseInt(args[2]), Boolean.parseBoolean(args[3])).run(args[0], args[1]);
        System.exit(0);
    }

    @EventHandler(name = "ledger", transactional = true, concurrency = 2)
    void on(TransactionalHandlerContract.MoneyMoved event) throws Exception {
        JdbcTemplate.update(
                tx.currentConnection(),
                "INSERT INTO effect (name) VALUES (?)",
                row -> row.setString(1, "effect-" + event.number()));
        if (!afterCommit && handled.incrementAndGet() == crashAt) {
            Runtime.getRuntime().halt(CRASHED);
        }
    }

    private void run(String url, String user) throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setUsername(user);
        config.setMaximumPoolSize(6);
        try (HikariDataSource dataSource = new HikariDataSource(config)) {
            ConnectionProvider connections = new DataSourceConnectionProvider(dataSource);
            TransactionRunner runner = new JdbcTransactionRunner(new JdbcTransactionManager(connections, tx), tx);
            TransactionRunner crashing = new TransactionRunner() {
                @Override
                public <T extends @Nullable Object> T run(TxMode mode, Work<T> work) throws Exception {
                    T result = runner.run(mode, work);
                    if (afterCommit && handled.incrementAndGet() == crashAt) {
                        Runtime.getRuntime().halt(CRASHED);
                    }
                    return result;
                }
            };
            try (EventHandlers handlers = EventHandlers.scan(this)
                            .serializer(PayloadSerializers.detect())
                            .tracker(new JdbcEventConsumptionTracker("postgresql", connections, tx))
                            .transactions(crashing)
                            .build();
                    Outbox outbox = JdbcOutbox.singleNode(dataSource)
                            .listeners(handlers)
                            .pollInterval(Duration.ofMillis(20))
                            .build()
                            .start()) {
                Outboxes.awaitNothingPending(dataSource, TableNames.DEFAULT_TABLE, Duration.ofSeconds(50));
            }
        }
    }
}
