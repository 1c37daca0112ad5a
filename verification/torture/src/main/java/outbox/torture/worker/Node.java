package outbox.torture.worker;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.dispatch.EventInterceptor;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.ConnectionProvider;
import outbox.spi.TxContext;
import outbox.util.Ticks;

/** An application as users build it: pool, business, outbox, listener. Faults come only through its edges. Thread-safe. */
public final class Node implements AutoCloseable {
    private final NodeSettings settings;
    private final LedgerFile ledger;
    private final HikariDataSource pool;
    private final KillPoints killPoints;
    private final Outbox outbox;
    private final Business business;
    private final List<Thread> writers = new ArrayList<>(); // guarded by this
    private final LongAdder claims = new LongAdder();
    private volatile boolean writing;

    /** @param report told when a thread is held at a {@link KillPoint} */
    public Node(NodeSettings settings, Consumer<String> report) {
        this.settings = settings;
        this.ledger = new LedgerFile(Path.of(settings.text(Setting.LEDGER)));
        this.killPoints = new KillPoints(report);
        this.pool = pool(settings);
        ConnectionProvider connections = new DataSourceConnectionProvider(pool);
        ThreadLocalTxContext transactions = new ThreadLocalTxContext();
        InstantSource clock = clock(settings.number(Setting.CLOCK_MINUTES));
        this.outbox = outbox(connections, transactions, clock);
        this.business = new Business(
                new JdbcTransactionManager(FaultyParts.connections(connections, aroundCommit()), transactions),
                outbox.writer(),
                ledger,
                clock,
                settings);
    }

    public static HikariDataSource pool(NodeSettings settings) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(settings.text(Setting.JDBC_URL));
        config.setUsername(settings.text(Setting.USER));
        config.setPassword(settings.text(Setting.PASSWORD));
        config.setMaximumPoolSize(settings.number(Setting.POOL));
        config.setMinimumIdle(settings.number(Setting.IDLE));
        config.setConnectionTimeout(settings.number(Setting.CONNECTION_MS));
        config.setValidationTimeout(settings.number(Setting.VALIDATION_MS));
        config.setInitializationFailTimeout(-1); // a node may come up while the database is away
        return new HikariDataSource(config);
    }

    private static InstantSource clock(int minutesOff) {
        if (minutesOff == 0) {
            return Ticks.systemClock();
        }
        return InstantSource.offset(InstantSource.system(), Duration.ofMinutes(minutesOff));
    }

    private Outbox outbox(ConnectionProvider connections, TxContext transactions, InstantSource clock) {
        AbstractJdbcOutboxStore store = JdbcOutboxStores.detect(settings.text(Setting.JDBC_URL));
        int retryMillis = settings.number(Setting.RETRY_MS);
        OutboxBuilder builder = Outbox.multiNode()
                .store(FaultyParts.store(store, aroundStore()))
                .connections(connections)
                .transactions(transactions)
                .listeners(listeners())
                .interceptor(EventInterceptor.after((event, error) -> {
                    if (error == null) {
                        killPoints.pass(KillPoint.AFTER_LISTENER);
                    }
                }))
                .nodeId(settings.text(Setting.NODE))
                .leaseTime(settings.millis(Setting.LEASE_MS))
                .pollInterval(settings.millis(Setting.POLL_MS))
                .workerCount(settings.number(Setting.WORKERS))
                .hotQueueCapacity(settings.number(Setting.HOT_CAPACITY))
                .coldQueueCapacity(settings.number(Setting.COLD_CAPACITY))
                .maxAttempts(settings.number(Setting.MAX_ATTEMPTS))
                .retryPolicy(attempts -> retryMillis)
                .timeLimit(settings.millis(Setting.TIME_LIMIT_MS))
                .drainTimeout(settings.millis(Setting.DRAIN_MS))
                .clock(clock);
        if (settings.flag(Setting.ORDERED)) {
            builder.ordered();
        }
        if (settings.number(Setting.RETENTION_MINUTES) > 0) {
            Duration retention = Duration.ofMinutes(settings.number(Setting.RETENTION_MINUTES));
            builder.purger(store.purger()).retention(retention).deadRetention(retention);
        }
        return builder.build();
    }

    private DefaultListenerRegistry listeners() {
        DefaultListenerRegistry listeners = new DefaultListenerRegistry();
        listeners.register(Business.AGGREGATE, Business.PLACED, this::deliver);
        for (Poison poison : Poison.values()) {
            if (poison != Poison.UNKNOWN_TYPE) {
                listeners.register(Business.AGGREGATE, poison.eventType(), event -> poison.strike());
            }
        }
        return listeners;
    }

    private void deliver(EventEnvelope event) throws InterruptedException {
        long begun = System.nanoTime();
        if (settings.number(Setting.LISTENER_MS) > 0) {
            Thread.sleep(settings.number(Setting.LISTENER_MS));
        }
        ledger.delivered(event.eventId(), begun);
    }

    private FaultyParts.Around aroundStore() {
        return new FaultyParts.Around() {
            @Override
            public void before(String method) {
                if (method.startsWith("claim")) {
                    claims.increment();
                }
                if (method.equals("renew") && settings.flag(Setting.NO_RENEWAL)) {
                    throw new IllegalStateException("renewal is cut off");
                }
            }

            @Override
            public void after(String method) {
                if (method.equals("settle")) {
                    killPoints.pass(KillPoint.INSIDE_MARK);
                }
            }
        };
    }

    private FaultyParts.Around aroundCommit() {
        return new FaultyParts.Around() {
            @Override
            public void before(String method) {
                if (method.equals("commit")) {
                    killPoints.pass(KillPoint.INSIDE_TRANSACTION);
                }
            }

            @Override
            public void after(String method) {
                if (method.equals("commit")) {
                    killPoints.pass(KillPoint.AFTER_COMMIT);
                }
            }
        };
    }

    /** Checks the table and begins to deliver. */
    public void start() {
        outbox.start();
    }

    /** How often the store was asked for due rows. */
    long claims() {
        return claims.sum();
    }

    public Outbox outbox() {
        return outbox;
    }

    public Business business() {
        return business;
    }

    /** Lets the next thread that passes the point wait there for the end. */
    void arm(KillPoint point) {
        killPoints.arm(point);
    }

    /** Begins to write, at the rate that is set. */
    public synchronized void write() {
        writing = true;
        for (int i = 0; i < settings.number(Setting.WRITERS); i++) {
            Thread writer = new Thread(this::writeOn, "business-" + i);
            writer.setDaemon(true);
            writer.start();
            writers.add(writer);
        }
    }

    private void writeOn() {
        Random random = new Random();
        long pause = 1_000_000_000L / settings.number(Setting.RATE);
        long next = System.nanoTime();
        while (writing) {
            try {
                business.placeOrder(random);
                next = Math.max(next + pause, System.nanoTime() - 10 * pause);
            } catch (SQLException | RuntimeException | Error e) { // whatever was done to this node: try again soon
                System.err.println("order not placed: " + e);
                next = System.nanoTime() + 50_000_000;
            }
            while (writing && System.nanoTime() < next) {
                LockSupport.parkNanos(next - System.nanoTime());
            }
        }
    }

    /** Ends writing; returns when the last transaction has ended. */
    public synchronized void hush() throws InterruptedException {
        writing = false;
        for (Thread writer : writers) {
            LockSupport.unpark(writer);
            writer.join();
        }
        writers.clear();
    }

    /** Takes every connection the pool can give and keeps them for a while. */
    void hogConnections(Duration time) throws InterruptedException {
        List<Connection> hogged = new ArrayList<>();
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() < end) {
            try {
                hogged.add(pool.getConnection());
            } catch (SQLException e) {
                System.err.println("hogging " + hogged.size() + " connections");
            }
        }
        for (Connection connection : hogged) {
            try {
                connection.close();
            } catch (SQLException e) {
                System.err.println("hogged connection: " + e);
            }
        }
    }

    /** How many connections are out of the pool now. */
    public int connectionsInUse() {
        return pool.getHikariPoolMXBean().getActiveConnections();
    }

    /** As an application ends: no new business, the outbox drains, the pool closes. */
    @Override
    public void close() {
        try {
            hush();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        outbox.close();
        pool.close();
        ledger.close();
    }
}
