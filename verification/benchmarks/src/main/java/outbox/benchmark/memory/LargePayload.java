package outbox.benchmark.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import outbox.benchmark.BenchDatabase;
import outbox.benchmark.BenchServer;
import outbox.jdbc.payload.PayloadTable;
import outbox.jdbc.store.JdbcOutboxStores;

/** One payload that is larger than the heap of the JVM that writes and delivers it, in the table and in files. */
public final class LargePayload {
    private static final int PAYLOAD_MEGABYTES = 200;
    private static final int HEAP_MEGABYTES = 64;

    private LargePayload() {}

    public static void main(String[] args) throws Exception {
        int code = 0;
        for (BenchServer.Kind kind :
                List.of(BenchServer.Kind.POSTGRESQL, BenchServer.Kind.MYSQL, BenchServer.Kind.MARIADB)) {
            code = Math.max(code, run(kind, PAYLOAD_MEGABYTES, HEAP_MEGABYTES));
        }
        System.exit(code);
    }

    /** @return the exit code of the small JVM: 0 if the payload came back as it was written, each time */
    static int run(BenchServer.Kind kind, int megabytes, int heapMegabytes) throws Exception {
        System.out.println("starting " + kind);
        try (BenchServer server = BenchServer.start(kind)) {
            BenchDatabase database = server.freshDatabase();
            var store = JdbcOutboxStores.detect(database.jdbcUrl());
            try (Connection conn = database.connect()) {
                store.schema().apply(conn);
                PayloadTable.of(store).schema().apply(conn);
            }
            Path directory = Files.createTempDirectory("large-payload");
            try {
                System.out.println(megabytes + " MB through a heap of " + heapMegabytes + " MB");
                return deliver(database, megabytes, heapMegabytes, directory);
            } finally {
                delete(directory);
            }
        }
    }

    private static int deliver(BenchDatabase database, int megabytes, int heapMegabytes, Path directory)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + heapMegabytes + "m",
                "-XX:+UseSerialGC",
                "-XX:+ExitOnOutOfMemoryError",
                "-cp",
                System.getProperty("java.class.path"),
                LargePayloadHeap.class.getName(),
                database.jdbcUrl(),
                database.username(),
                database.password(),
                Integer.toString(megabytes),
                directory.toString()));
        return new ProcessBuilder(command).inheritIO().start().waitFor();
    }

    private static void delete(Path directory) throws IOException {
        try (var files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(directory);
    }
}
