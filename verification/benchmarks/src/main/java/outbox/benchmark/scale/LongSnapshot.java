package outbox.benchmark.scale;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.benchmark.Payloads;
import outbox.benchmark.Summary;
import outbox.dispatch.CompletionMode;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.store.PostgresOutboxStore;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.LeasingOutboxStore;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.EmbeddedServer;
import outbox.testing.server.ServerOptions;
import outbox.testing.server.TestDatabase;

/**
 * Events at a steady rate while somebody holds a snapshot, minute by minute: PostgreSQL cannot remove the old versions of
 * delivered rows meanwhile. Half of the events are written through the outbox, half by a writer that has no dispatcher,
 * so that they are claimed. One minute before the snapshot, the minutes it is held, and two after it.
 *
 * <p>Arguments: {@code [minutes] [events a second] [mark|delete|ordered]}.
 */
public final class LongSnapshot {
    private static final String TYPE = "Happened";
    private static final int KEYS = 1_000;

    private final int minutes;
    private final int rate;
    private final String form;
    private final PostgresOutboxStore store = new PostgresOutboxStore();
    private final Samples hot = new Samples();
    private final Samples cold = new Samples();
    private final Samples claims = new Samples();

    private LongSnapshot(int minutes, int rate, String form) {
        this.minutes = minutes;
        this.rate = rate;
        this.form = form;
    }

    public static void main(String[] args) throws Exception {
        int minutes = args.length > 0 ? Integer.parseInt(args[0]) : 10;
        int rate = args.length > 1 ? Integer.parseInt(args[1]) : 400;
        new LongSnapshot(minutes, rate, args.length > 2 ? args[2] : "mark").run();
    }

    /** Times in nanoseconds, since the last look. Thread-safe. */
    private static final class Samples {
        private List<Long> nanos = new ArrayList<>();

        synchronized void add(long one) {
            nanos.add(one);
        }

        synchronized long[] take() {
            long[] taken = nanos.stream().mapToLong(Long::longValue).toArray();
            nanos = new ArrayList<>();
            return taken;
        }
    }

    private void run() throws Exception {
        System.out.printf(
                "%d events a second, half of them claimed; %s; PostgreSQL, snapshot held for %d min%n%n",
                rate, form, minutes);
        System.out.println(
                "| minute | snapshot | hot p50 | hot p99 | cold p50 | cold p99 | claims | claim p50 | claim p99"
                        + " | pending | dead rows | table MB | indexes MB |");
        System.out.println(
                "| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
        try (EmbeddedServer server = EmbeddedPostgres.start(ServerOptions.defaults())) {
            TestDatabase database = server.freshDatabase();
            try (HikariDataSource pool = pool(database);
                    Connection foreign = database.dataSource().getConnection();
                    Connection watch = database.dataSource().getConnection()) {
                store.schema().apply(watch);
                if (form.equals("ordered")) {
                    store.orderedSchema().apply(watch);
                }
                measure(pool, foreign, watch);
            }
        }
    }

    private static HikariDataSource pool(TestDatabase database) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.jdbcUrl());
        config.setUsername(database.username());
        config.setPassword(database.password());
        return new HikariDataSource(config);
    }

    private void measure(HikariDataSource pool, Connection foreign, Connection watch) throws Exception {
        DataSourceConnectionProvider connections = new DataSourceConnectionProvider(pool);
        ThreadLocalTxContext context = new ThreadLocalTxContext();
        OutboxBuilder builder = Outbox.multiNode()
                .store(timed(store))
                .connections(connections)
                .transactions(context)
                .listeners(new DefaultListenerRegistry().register("K", TYPE, this::arrived));
        if (form.equals("delete")) {
            builder.completionMode(CompletionMode.DELETE);
        }
        if (form.equals("ordered")) {
            builder.ordered();
        }
        try (Outbox outbox = builder.build().start()) {
            Thread writer = new Thread(() -> write(outbox, new JdbcTransactionManager(connections, context)), "writer");
            writer.setDaemon(true);
            writer.start();
            TimeUnit.SECONDS.sleep(10); // the first events warm up the machine
            List.of(hot, cold, claims).forEach(Samples::take);
            foreign.setAutoCommit(false);
            foreign.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            for (int minute = 0; minute < minutes + 3; minute++) {
                boolean held = minute > 0 && minute <= minutes;
                if (held && minute == 1) {
                    number(foreign, "SELECT COUNT(*) FROM outbox_event");
                }
                if (minute == minutes + 1) {
                    foreign.rollback();
                }
                TimeUnit.MINUTES.sleep(1);
                report(minute, held, watch);
            }
            writer.interrupt();
            writer.join();
        }
    }

    private void report(int minute, boolean held, Connection watch) throws SQLException {
        long[] hotNanos = hot.take();
        long[] coldNanos = cold.take();
        long[] claimNanos = claims.take();
        System.out.printf(
                Locale.ROOT,
                "| %d | %s | %.1f ms | %.1f ms | %.0f ms | %.0f ms | %d | %.1f ms | %.1f ms | %d | %d | %d | %d |%n",
                minute + 1,
                held ? "held" : "",
                millis(hotNanos, 0.5),
                millis(hotNanos, 0.99),
                millis(coldNanos, 0.5),
                millis(coldNanos, 0.99),
                claimNanos.length,
                millis(claimNanos, 0.5),
                millis(claimNanos, 0.99),
                number(watch, "SELECT COUNT(*) FROM outbox_event WHERE status IN (0, 2)"),
                number(watch, "SELECT n_dead_tup FROM pg_stat_user_tables WHERE relname = 'outbox_event'"),
                number(watch, "SELECT pg_table_size('outbox_event') / 1048576"),
                number(watch, "SELECT pg_indexes_size('outbox_event') / 1048576"));
    }

    private static double millis(long[] nanos, double quantile) {
        return nanos.length == 0 ? Double.NaN : Summary.quantile(nanos, quantile) / 1e6;
    }

    private static long number(Connection conn, String sql) throws SQLException {
        try (Statement statement = conn.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    /** Every second event goes into the table without the dispatcher's knowledge. */
    private void write(Outbox outbox, JdbcTransactionManager transactions) {
        long pause = Duration.ofSeconds(1).toNanos() / rate;
        long next = System.nanoTime();
        for (int n = 0; !Thread.currentThread().isInterrupted(); n++) {
            EventEnvelope event = EventEnvelope.builder(TYPE)
                    .aggregateType("K")
                    .aggregateId("k" + n % KEYS)
                    .headers(Collections.singletonMap("written", (n % 2 == 0 ? "+" : "-") + System.nanoTime()))
                    .payloadJson(Payloads.of(n))
                    .build();
            try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
                if (n % 2 == 0) {
                    outbox.writer().write(event);
                } else {
                    store.insertNew(tx.connection(), event);
                }
                tx.commit();
            } catch (SQLException e) {
                System.err.println("not written: " + e);
            }
            next += pause;
            LockSupport.parkNanos(next - System.nanoTime());
        }
    }

    private void arrived(EventEnvelope event) {
        String written = String.valueOf(event.headers().get("written"));
        (written.charAt(0) == '+' ? hot : cold).add(System.nanoTime() - Long.parseLong(written.substring(1)));
    }

    private LeasingOutboxStore timed(LeasingOutboxStore real) {
        return (LeasingOutboxStore) Proxy.newProxyInstance(
                LongSnapshot.class.getClassLoader(),
                new Class<?>[] {LeasingOutboxStore.class},
                (proxy, method, args) -> {
                    long start = System.nanoTime();
                    try {
                        return method.invoke(real, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    } finally {
                        if (method.getName().startsWith("claim")) {
                            claims.add(System.nanoTime() - start);
                        }
                    }
                });
    }
}
