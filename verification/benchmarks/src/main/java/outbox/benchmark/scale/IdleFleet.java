package outbox.benchmark.scale;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.fleet.OutboxFleet;
import outbox.jdbc.store.H2OutboxStore;
import outbox.jdbc.store.JdbcOutbox;
import outbox.registry.DefaultListenerRegistry;
import outbox.testing.server.EmbeddedH2;
import outbox.testing.server.TestDatabase;

/**
 * What idle databases cost: threads, connections and times a database is asked, with an outbox of its own for each and
 * with a fleet. The databases are H2, in memory; what is counted does not depend on that.
 *
 * <p>Arguments: how many databases, and for how many seconds to count.
 */
public final class IdleFleet {
    private static final int DEFAULT_DATABASES = 200;
    private static final int DEFAULT_SECONDS = 60;

    private final List<TestDatabase> databases = new ArrayList<>();
    private final AtomicLong asked = new AtomicLong();
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger mostOpen = new AtomicInteger();
    private final int seconds;

    private IdleFleet(int count, int seconds) throws SQLException {
        this.seconds = seconds;
        for (int i = 0; i < count; i++) {
            TestDatabase database = EmbeddedH2.shared().freshDatabase();
            databases.add(database);
            try (Connection conn = database.dataSource().getConnection()) {
                new H2OutboxStore().schema().apply(conn);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        int count = args.length > 0 ? Integer.parseInt(args[0]) : DEFAULT_DATABASES;
        int seconds = args.length > 1 ? Integer.parseInt(args[1]) : DEFAULT_SECONDS;
        IdleFleet run = new IdleFleet(count, seconds);
        System.out.printf(
                "%-28s %8s %12s %22s%n", count + " idle databases", "threads", "asked a sec.", "connections at a time");
        run.outboxEach();
        run.fleet();
        run.databases.forEach(TestDatabase::drop);
    }

    private OutboxBuilder outbox(TestDatabase database) {
        return JdbcOutbox.multiNode(database.dataSource(), new H2OutboxStore())
                .connections(() -> counted(database))
                .listeners(new DefaultListenerRegistry().register("Happened", event -> {}));
    }

    /** Counts a connection as given back with its close, which the engine calls on the thread that took it. */
    private Connection counted(TestDatabase database) throws SQLException {
        asked.incrementAndGet();
        mostOpen.accumulateAndGet(open.incrementAndGet(), Math::max);
        Connection conn = database.dataSource().getConnection();
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        open.decrementAndGet();
                    }
                    try {
                        return method.invoke(conn, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private void outboxEach() throws InterruptedException {
        List<Outbox> outboxes = databases.stream()
                .map(database -> outbox(database).build().start())
                .toList();
        report("an outbox each");
        List<Thread> closing =
                outboxes.stream().map(outbox -> new Thread(outbox::close)).toList();
        closing.forEach(Thread::start);
        for (Thread thread : closing) {
            thread.join();
        }
    }

    private void fleet() throws InterruptedException {
        try (OutboxFleet fleet = OutboxFleet.builder().build()) {
            for (int i = 0; i < databases.size(); i++) {
                fleet.add("tenant-" + i, outbox(databases.get(i)));
            }
            report("a fleet");
        }
    }

    /** After the intervals of a fleet have grown to their end. */
    private void report(String what) throws InterruptedException {
        TimeUnit.SECONDS.sleep(2 * OutboxFleet.DEFAULT_IDLE_INTERVAL.toSeconds());
        mostOpen.set(0);
        long before = asked.get();
        long start = System.nanoTime();
        TimeUnit.SECONDS.sleep(seconds);
        double rate = (asked.get() - before)
                / (Duration.ofNanos(System.nanoTime() - start).toMillis() / 1000.0);
        long threads = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("outbox-"))
                .count();
        System.out.printf(Locale.ROOT, "%-28s %8d %12.1f %22d%n", what, threads, rate, mostOpen.get());
    }
}
