package outbox.benchmark.memory;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import outbox.Outbox;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.registry.DefaultListenerRegistry;

/** The JVM with the small heap: delivers what is in a table, says how full its heap was, and ends. */
final class SmallHeap {
    private static final Duration LIMIT = Duration.ofMinutes(10);

    private SmallHeap() {}

    /** @param args URL, user, password, number of events */
    public static void main(String[] args) throws InterruptedException {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(args[0]);
        config.setUsername(args[1]);
        config.setPassword(args[2]);
        config.setMaximumPoolSize(8);
        long events = Long.parseLong(args[3]);
        AtomicLong delivered = new AtomicLong();
        CountDownLatch all = new CountDownLatch(1);
        long start = System.nanoTime();
        try (HikariDataSource pool = new HikariDataSource(config);
                Outbox outbox = Outbox.multiNode()
                        .store(JdbcOutboxStores.detect(args[0]))
                        .connections(new DataSourceConnectionProvider(pool))
                        .listeners(new DefaultListenerRegistry().register("Benchmark", "BenchmarkHappened", event -> {
                            if (delivered.incrementAndGet() == events) {
                                all.countDown();
                            }
                        }))
                        .build()
                        .start()) {
            while (!all.await(5, TimeUnit.SECONDS)) {
                System.out.println("  " + delivered + " delivered, heap " + used());
                if (System.nanoTime() - start > LIMIT.toNanos()) {
                    System.exit(3);
                }
            }
            outbox.deadEvents();
        } // the last outcomes are written here
        long collections = ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                .sum();
        System.out.println("  " + delivered + " delivered in "
                + Duration.ofNanos(System.nanoTime() - start).toMillis() + " ms, heap " + used()
                + ", garbage collection took " + collections + " ms");
        System.exit(delivered.get() == events ? 0 : 4);
    }

    private static String used() {
        Runtime runtime = Runtime.getRuntime();
        return ((runtime.totalMemory() - runtime.freeMemory()) >> 20) + " of " + (runtime.maxMemory() >> 20) + " MB";
    }
}
