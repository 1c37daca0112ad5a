package outbox.benchmark.own;

import com.sun.management.OperatingSystemMXBean;
import com.zaxxer.hikari.HikariDataSource;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import outbox.Outbox;
import outbox.benchmark.Bench;
import outbox.benchmark.BenchDatabase;
import outbox.benchmark.Measurement;
import outbox.benchmark.Scale;
import outbox.benchmark.Scenario;
import outbox.benchmark.Unit;
import outbox.benchmark.raw.OutboxTable;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.ConnectionProvider;

/** What an engine costs that has nothing to do. */
public final class Idle implements Scenario {
    private @Nullable BenchDatabase database;

    @Override
    public String id() {
        return "idle";
    }

    @Override
    public String title() {
        return "this project: one node on an empty table; CPU of the whole JVM";
    }

    @Override
    public void setUp(Bench bench) throws Exception {
        database = bench.database();
        OutboxTable.create(database);
    }

    @Override
    public List<Measurement> round(Scale scale) throws Exception {
        BenchDatabase db = Objects.requireNonNull(database);
        LongAdder queries = new LongAdder();
        OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        try (HikariDataSource pool = db.pool();
                Outbox outbox = Outbox.multiNode()
                        .store(JdbcOutboxStores.detect(db.jdbcUrl()))
                        .connections(counting(pool::getConnection, queries))
                        .listeners(new DefaultListenerRegistry().register("Nothing", "Happens", event -> {}))
                        .build()
                        .start()) {
            Thread.sleep(scale.idle().toMillis() / 2); // the first polls, and what the JIT has left to do
            outbox.deadEvents();
            queries.reset();
            long cpu = system.getProcessCpuTime();
            long start = System.nanoTime();
            Thread.sleep(scale.idle().toMillis());
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            return List.of(
                    Measurement.rate("queries", Unit.QUERIES_PER_SECOND, queries.sum(), took),
                    new Measurement(
                            "cpu",
                            Unit.PERCENT_OF_A_CORE,
                            100.0 * (system.getProcessCpuTime() - cpu) / took.toNanos()));
        }
    }

    /** Counts every statement that is executed. */
    private static ConnectionProvider counting(ConnectionProvider connections, LongAdder queries) {
        return () -> {
            Connection real = connections.getConnection();
            return proxy(Connection.class, real, method -> false, queries);
        };
    }

    private interface Counted {
        boolean counts(String method);
    }

    private static <T> T proxy(Class<T> type, T real, Counted counted, LongAdder queries) {
        return type.cast(Proxy.newProxyInstance(
                Idle.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
                    if (counted.counts(method.getName())) {
                        queries.increment();
                    }
                    try {
                        Object result = method.invoke(real, args);
                        if (result instanceof PreparedStatement statement) {
                            return proxy(
                                    PreparedStatement.class, statement, name -> name.startsWith("execute"), queries);
                        }
                        if (result instanceof Statement statement) {
                            return proxy(Statement.class, statement, name -> name.startsWith("execute"), queries);
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause() == null ? e : e.getCause();
                    }
                }));
    }
}
