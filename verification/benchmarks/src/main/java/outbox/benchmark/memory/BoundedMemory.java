package outbox.benchmark.memory;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import outbox.benchmark.BenchDatabase;
import outbox.benchmark.BenchServer;
import outbox.benchmark.raw.OutboxTable;

/**
 * Fills a table with far more than the heap of a second JVM holds, and lets that one deliver it. The table is the
 * buffer: the heap must stay flat.
 */
public final class BoundedMemory {
    private static final int EVENTS = 200_000;
    private static final int EVENT_BYTES = 1024;
    private static final int HEAP_MEGABYTES = 64;

    private BoundedMemory() {}

    public static void main(String[] args) throws Exception {
        System.exit(run(EVENTS, HEAP_MEGABYTES));
    }

    /** @return the exit code of the small JVM: 0 if every event was delivered once and settled */
    static int run(int events, int heapMegabytes) throws Exception {
        System.out.println("starting postgresql");
        try (BenchServer server = BenchServer.start(BenchServer.Kind.POSTGRESQL)) {
            BenchDatabase database = server.freshDatabase();
            OutboxTable.create(database);
            System.out.println("writing " + events + " events of " + EVENT_BYTES + " bytes");
            OutboxTable.seed(database, events, 0, EVENT_BYTES);
            System.out.println("delivering them with a heap of " + heapMegabytes + " MB");
            int code = drain(database, events, heapMegabytes);
            long done = OutboxTable.done(database);
            System.out.println(done + " rows are DONE, exit code " + code);
            return code == 0 && done != events ? 1 : code;
        }
    }

    private static int drain(BenchDatabase database, int events, int heapMegabytes)
            throws IOException, InterruptedException {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + heapMegabytes + "m",
                "-XX:+UseSerialGC",
                "-XX:+ExitOnOutOfMemoryError",
                "-cp",
                System.getProperty("java.class.path"),
                SmallHeap.class.getName(),
                database.jdbcUrl(),
                database.username(),
                database.password(),
                Integer.toString(events));
        return new ProcessBuilder(command).inheritIO().start().waitFor();
    }
}
