package outbox.jdbc.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TestTable;
import outbox.jdbc.archive.EventArchive;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.JdbcOutbox;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.registry.DefaultListenerRegistry;
import outbox.testing.server.DatabaseServer;
import outbox.util.Ulid;

/**
 * Days pass quickly while events are written and delivered: partitions are made, detached, archived and dropped under
 * them. Nothing is lost: each event is delivered, and is in the table or in the archive afterwards.
 */
abstract class RotationUnderLoadContract {
    private static final int DAYS = 8;
    private static final int EVENTS_A_DAY = 60;
    private static final int WRITERS = 2;
    private static final Duration LONG = Duration.ofMinutes(3);

    private final Supplier<DatabaseServer> server;
    private final AbstractJdbcOutboxStore store;
    private final AtomicReference<Instant> today =
            new AtomicReference<>(Instant.now().truncatedTo(ChronoUnit.DAYS).plus(Duration.ofDays(1)));
    private final Set<String> written = ConcurrentHashMap.newKeySet();
    private final Queue<String> delivered = new ConcurrentLinkedQueue<>();
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private final List<String> dropped = new ArrayList<>();

    @TempDir
    Path directory;

    RotationUnderLoadContract(Supplier<DatabaseServer> server, AbstractJdbcOutboxStore store) {
        this.server = server;
        this.store = store;
    }

    @Test
    void nothingIsLostWhileDaysComeAndGo() throws Exception {
        try (TestTable table = TestTable.partitioned(server.get(), store)) {
            ThreadLocalTxContext txContext = new ThreadLocalTxContext();
            JdbcTransactionManager transactions =
                    new JdbcTransactionManager(new DataSourceConnectionProvider(table.dataSource()), txContext);
            try (Outbox outbox = JdbcOutbox.multiNode(table.dataSource(), store)
                    .transactions(txContext)
                    .listeners(
                            new DefaultListenerRegistry().register("Happened", event -> delivered.add(event.eventId())))
                    .build()
                    .start()) {
                rotateWhileWriting(table, outbox, transactions);
                await().atMost(LONG).until(() -> Set.copyOf(delivered).containsAll(written));
                await().atMost(LONG).until(() -> count(table, "outbox_event WHERE status IN (0, 2)") == 0);
            }
            rotate(table);
            assertThat(failures).isEmpty();
            assertThat(dropped).as("dropped days").hasSizeGreaterThanOrEqualTo(DAYS - 3);
            Set<String> kept = new HashSet<>(archived());
            assertThat(kept).as("archived").isNotEmpty();
            kept.addAll(ids(table));
            assertThat(kept).isEqualTo(written);
            assertThat(delivered).as("no faults, no duplicates").doesNotHaveDuplicates();
        }
    }

    private void rotateWhileWriting(TestTable table, Outbox outbox, JdbcTransactionManager transactions)
            throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        List<Thread> writers = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
            writers.add(new Thread(() -> write(outbox, transactions, over), "writer-" + i));
        }
        writers.forEach(Thread::start);
        try {
            for (int day = 0; day < DAYS; day++) {
                rotate(table);
                int goal = (day + 1) * EVENTS_A_DAY;
                await().atMost(LONG).until(() -> written.size() >= goal || !failures.isEmpty());
                today.updateAndGet(time -> time.plus(Duration.ofDays(1)));
            }
        } finally {
            over.set(true);
            for (Thread writer : writers) {
                writer.join(LONG.toMillis());
            }
        }
    }

    /** Ids of today, and now and then one of a day that may be gone already. */
    private void write(Outbox outbox, JdbcTransactionManager transactions, AtomicBoolean over) {
        int number = 0;
        try {
            while (!over.get()) {
                Instant time = today.get().minus(Duration.ofDays(++number % 20 == 0 ? 5 : 0));
                EventEnvelope event = EventEnvelope.builder("Happened")
                        .eventId(new Ulid(() -> time).generate())
                        .payloadJson("{}")
                        .build();
                try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
                    outbox.writer().write(event);
                    tx.commit();
                }
                written.add(event.eventId());
            }
        } catch (Exception | Error e) {
            failures.add(e);
        }
    }

    private void rotate(TestTable table) throws Exception {
        dropped.addAll(store.dailyPartitions()
                .archive(EventArchive.inFiles(directory))
                .rotate(table.dataSource()::getConnection, today.get(), Duration.ofDays(1))
                .dropped());
    }

    private Set<String> archived() throws Exception {
        Set<String> ids = new HashSet<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                        new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
                    lines.lines().forEach(line -> ids.add(line.split("\"", 5)[3]));
                }
            }
        }
        return ids;
    }

    private static List<String> ids(TestTable table) throws Exception {
        try (Connection conn = table.dataSource().getConnection()) {
            return JdbcTemplate.query(
                    conn, "SELECT event_id FROM outbox_event", JdbcTemplate.Binder.NOTHING, row -> row.getString(1));
        }
    }

    private static int count(TestTable table, String rows) throws Exception {
        try (Connection conn = table.dataSource().getConnection()) {
            return JdbcTemplate.query(
                            conn, "SELECT COUNT(*) FROM " + rows, JdbcTemplate.Binder.NOTHING, row -> row.getInt(1))
                    .get(0);
        }
    }
}
