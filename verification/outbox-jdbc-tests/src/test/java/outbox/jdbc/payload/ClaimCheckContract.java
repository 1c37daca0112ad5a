package outbox.jdbc.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import outbox.EventEnvelope;
import outbox.EventEnvelope.PayloadForm;
import outbox.EventListener;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.PayloadSource;
import outbox.dispatch.CompletionMode;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.JdbcTemplate.Binder;
import outbox.jdbc.archive.EventArchive;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.JdbcOutbox;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.model.EventStatus;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.ConnectionProvider;
import outbox.spi.EventSeal;
import outbox.spi.UnitOfWork;
import outbox.testing.Outboxes;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.TestDatabase;
import outbox.util.Ulid;

/** Large payloads beside the event table, as the database and the listeners see them. */
@Timeout(180)
abstract class ClaimCheckContract {
    private static final int LARGE = 3 * PayloadTable.PART_BYTES + 17;

    @TempDir
    Path directory;

    private final ThreadLocalTxContext tx = new ThreadLocalTxContext();
    private final List<Received> received = new CopyOnWriteArrayList<>();
    private TestDatabase database;
    private DataSource dataSource;
    private ConnectionProvider connections;
    private AbstractJdbcOutboxStore store;
    private PayloadTable table;

    private record Received(String eventId, PayloadForm form, long size, byte[] payload, boolean inMemory) {}

    abstract DatabaseServer server();

    final TestDatabase database() {
        return database;
    }

    @BeforeEach
    void createTables() throws SQLException {
        database = server().freshDatabase();
        dataSource = database.dataSource();
        connections = new DataSourceConnectionProvider(dataSource);
        store = JdbcOutboxStores.detect(dataSource);
        table = PayloadTable.of(store);
        try (Connection conn = dataSource.getConnection()) {
            store.schema().apply(conn);
            table.schema().apply(conn);
        }
    }

    @AfterEach
    void drop() {
        database.drop();
    }

    private ClaimCheck.Builder claimCheck() {
        return ClaimCheck.builder(store, connections).transactions(tx);
    }

    ClaimCheck withFiles() {
        return claimCheck().objects(new FileObjectStore(directory)).build();
    }

    private final EventListener listener = event -> {
        try (InputStream in = event.payloadStream()) {
            received.add(new Received(
                    event.eventId(),
                    event.payloadForm(),
                    event.payloadSize(),
                    in.readAllBytes(),
                    event.payloadSource() == null));
        } catch (RuntimeException e) {
            throw new IllegalStateException("as listeners do", e);
        }
    };

    private OutboxBuilder builder(EventSeal seal) {
        return JdbcOutbox.multiNode(dataSource, store)
                .transactions(tx)
                .seal(seal)
                .listeners(new DefaultListenerRegistry().register("Large", listener))
                .maxAttempts(5)
                .pollInterval(Duration.ofMillis(50));
    }

    private String write(Outbox outbox, EventEnvelope event) throws SQLException {
        try (JdbcTransactionManager.Transaction transaction = new JdbcTransactionManager(connections, tx).begin()) {
            String id = outbox.writer().write(event);
            transaction.commit();
            return id;
        }
    }

    private String writeOnly(EventSeal seal, EventEnvelope event) throws SQLException {
        return write(
                JdbcOutbox.writerOnly(dataSource, store)
                        .transactions(tx)
                        .seal(seal)
                        .build(),
                event);
    }

    private static byte[] random(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    private static EventEnvelope large(byte[] payload) {
        return EventEnvelope.builder("Large")
                .header("trace", "t")
                .payloadSource(PayloadSource.ofBytes(payload))
                .build();
    }

    List<String> strings(String sql) throws SQLException {
        return UnitOfWork.single(
                connections, conn -> JdbcTemplate.query(conn, sql, Binder.NOTHING, row -> row.getString(1)));
    }

    private int update(String sql) throws SQLException {
        return UnitOfWork.single(connections, conn -> JdbcTemplate.update(conn, sql, Binder.NOTHING));
    }

    List<String> bodies() throws SQLException {
        return strings("SELECT event_id FROM outbox_event_payload ORDER BY event_id, part");
    }

    List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }

    private Received only() {
        await().atMost(Duration.ofMinutes(1)).until(() -> !received.isEmpty());
        return received.get(0);
    }

    @Test
    void theHotPathDeliversWhatIsInTheTableAndTheRowHoldsAReference() throws Exception {
        byte[] payload = random(LARGE);
        try (Outbox outbox = builder(claimCheck().build())
                .pollInterval(Duration.ofHours(1))
                .build()
                .start()) {
            Path source = Files.write(directory.resolve("source"), payload);
            String id;
            try (JdbcTransactionManager.Transaction transaction = new JdbcTransactionManager(connections, tx).begin()) {
                id = outbox.writer()
                        .write(EventEnvelope.builder("Large")
                                .header("trace", "t")
                                .payloadSource(PayloadSource.ofFile(source))
                                .build());
                Files.delete(source);
                transaction.commit();
            }
            Outboxes.awaitDone(dataSource, id);
            assertThat(only().payload()).isEqualTo(payload);
            assertThat(only().inMemory()).isFalse();
            assertThat(bodies()).containsExactly(id, id, id, id);
            assertThat(strings("SELECT attempts FROM outbox_event")).containsExactly("0");
        }
        assertThat(strings("SELECT payload FROM outbox_event"))
                .singleElement()
                .asString()
                .contains("$outbox.reference")
                .hasSizeLessThan(200);
        assertThat(strings("SELECT headers FROM outbox_event"))
                .singleElement()
                .asString()
                .contains(PayloadTable.HEADER, LARGE + " bytes in outbox_event_payload", "trace");
    }

    @Test
    void theColdPathDeliversJsonAsItWasWritten() throws Exception {
        String json = "{\"text\":\"" + "\u4f60\u00fc ".repeat(200_000) + "\"}";
        String id = writeOnly(
                claimCheck().build(),
                EventEnvelope.builder("Large")
                        .payloadSource(PayloadSource.ofJson(json))
                        .build());
        try (Outbox outbox = builder(claimCheck().build()).build().start()) {
            Outboxes.awaitDone(dataSource, id);
        }
        assertThat(new String(only().payload(), StandardCharsets.UTF_8)).isEqualTo(json);
        assertThat(only().form()).isEqualTo(PayloadForm.JSON);
        assertThat(only().size()).isEqualTo(json.getBytes(StandardCharsets.UTF_8).length);
    }

    @Test
    void payloadsOfEverySizeAroundThePartsComeBack() throws Exception {
        ClaimCheck small = claimCheck().threshold(1000).build();
        List<Integer> sizes = List.of(
                0,
                1,
                1000,
                1001,
                PayloadTable.PART_BYTES - 1,
                PayloadTable.PART_BYTES,
                PayloadTable.PART_BYTES + 1,
                4 * PayloadTable.PART_BYTES,
                8 * PayloadTable.PART_BYTES + 1);
        List<String> ids = new ArrayList<>();
        for (int size : sizes) {
            ids.add(writeOnly(small, large(random(size))));
        }
        try (Outbox outbox = builder(small).build().start()) {
            for (String id : ids) {
                Outboxes.awaitDone(dataSource, id);
            }
        }
        for (int i = 0; i < ids.size(); i++) {
            String id = ids.get(i);
            Received one = received.stream()
                    .filter(r -> r.eventId().equals(id))
                    .findFirst()
                    .orElseThrow();
            assertThat(Arrays.equals(one.payload(), random(sizes.get(i))))
                    .as("%d bytes", sizes.get(i))
                    .isTrue();
            assertThat(one.inMemory()).as("%d bytes in the row", sizes.get(i)).isEqualTo(sizes.get(i) <= 1000);
        }
    }

    @Test
    void payloadsInMemoryMoveOutOfTheRowAboveTheThreshold() throws Exception {
        String json = "{\"x\":\"" + "x".repeat(2000) + "\"}";
        ClaimCheck small = claimCheck().threshold(1000).build();
        writeOnly(small, EventEnvelope.ofJson("Large", json));
        String inRow = writeOnly(small, EventEnvelope.ofJson("Large", "{\"small\":true}"));
        assertThat(strings("SELECT event_id FROM outbox_event_payload"))
                .hasSize(1)
                .doesNotContain(inRow);
        try (Outbox outbox = builder(small).build().start()) {
            await().atMost(Duration.ofMinutes(1)).until(() -> received.size() == 2);
        }
        assertThat(received.stream().map(r -> new String(r.payload(), StandardCharsets.UTF_8).replace(" ", "")))
                .contains(json, "{\"small\":true}");
    }

    @Test
    void withoutAClaimCheckASourceIsRefused() {
        assertThatThrownBy(() -> writeOnly(EventSeal.NONE, large(random(10))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("claim check");
    }

    @Test
    void aRollbackLeavesNeitherRowNorBodyNorFile() throws Exception {
        for (ClaimCheck each : List.of(claimCheck().build(), withFiles())) {
            Outbox writer = JdbcOutbox.writerOnly(dataSource, store)
                    .transactions(tx)
                    .seal(each)
                    .build();
            try (JdbcTransactionManager.Transaction rolledBack = new JdbcTransactionManager(connections, tx).begin()) {
                writer.writer().write(large(random(LARGE)));
                rolledBack.rollback();
            }
        }
        assertThat(bodies()).isEmpty();
        assertThat(strings("SELECT event_id FROM outbox_event")).isEmpty();
        assertThat(files()).isEmpty();
    }

    @Test
    void aSourceThatFailsLeavesNothingBehind() throws Exception {
        PayloadSource broken = () -> new InputStream() {
            private int left = LARGE;

            @Override
            public int read() throws IOException {
                if (left-- <= 0) {
                    throw new IOException("the disk is gone");
                }
                return 'x';
            }
        };
        EventEnvelope event =
                EventEnvelope.builder("Large").payloadSource(broken).build();
        for (ClaimCheck each : List.of(claimCheck().build(), withFiles())) {
            assertThatThrownBy(() -> writeOnly(each, event)).hasMessageContaining("the disk is gone");
        }
        assertThat(bodies()).isEmpty();
        assertThat(files()).isEmpty();
    }

    @Test
    void aSourceThatEndsTooEarlyIsNoEvent() throws Exception {
        for (int length : List.of(10, LARGE)) {
            PayloadSource cut = new PayloadSource() {
                @Override
                public InputStream open() {
                    return new ByteArrayInputStream(random(length));
                }

                @Override
                public long size() {
                    return length + 1;
                }
            };
            EventEnvelope event =
                    EventEnvelope.builder("Large").payloadSource(cut).build();
            assertThatThrownBy(() -> writeOnly(claimCheck().build(), event))
                    .hasMessageContaining("ended after " + length + " bytes");
        }
        assertThat(bodies()).isEmpty();
    }

    @Test
    void aBodyThatIsGoneMakesTheEventDeadWithItsCause() throws Exception {
        String id = writeOnly(claimCheck().build(), large(random(LARGE)));
        String cut = writeOnly(claimCheck().build(), large(random(LARGE)));
        update("DELETE FROM outbox_event_payload WHERE event_id = '" + id + "'");
        update("DELETE FROM outbox_event_payload WHERE part = 2 AND event_id = '" + cut + "'");
        try (Outbox outbox = builder(claimCheck().build()).build().start()) {
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> strings("SELECT event_id FROM outbox_event WHERE status = 3")
                                    .size()
                            == 2);
        }
        assertThat(strings("SELECT last_error FROM outbox_event"))
                .allSatisfy(error -> assertThat(error).contains("the payload of event", "is gone"));
        assertThat(strings("SELECT attempts FROM outbox_event")).containsOnly("1");
    }

    @Test
    void aFileThatIsGoneOrCutOffMakesTheEventDead() throws Exception {
        writeOnly(withFiles(), large(random(LARGE)));
        Files.delete(files().get(0));
        writeOnly(withFiles(), large(random(LARGE)));
        Files.write(files().get(0), random(100));
        try (Outbox outbox = builder(withFiles()).build().start()) {
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> strings("SELECT event_id FROM outbox_event WHERE status = 3")
                                    .size()
                            == 2);
        }
        assertThat(strings("SELECT last_error FROM outbox_event"))
                .anySatisfy(error -> assertThat(error).contains("is gone"))
                .anySatisfy(error -> assertThat(error).contains("is damaged"));
    }

    @Test
    void filesCarryTheBodyAndTheRowItsPlace() throws Exception {
        byte[] payload = random(LARGE);
        try (Outbox outbox = builder(withFiles()).build().start()) {
            String id = write(outbox, large(payload));
            Outboxes.awaitDone(dataSource, id);
        }
        assertThat(only().payload()).isEqualTo(payload);
        assertThat(files()).singleElement().satisfies(file -> assertThat(file).hasSize(LARGE));
        assertThat(strings("SELECT location FROM outbox_event_payload"))
                .singleElement()
                .asString()
                .startsWith("files:");
    }

    @Test
    void aNodeWithoutTheObjectStoreSaysSo() throws Exception {
        writeOnly(withFiles(), large(random(LARGE)));
        try (Outbox outbox = builder(claimCheck().build()).build().start()) {
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> strings("SELECT event_id FROM outbox_event WHERE status = 3")
                                    .size()
                            == 1);
        }
        assertThat(strings("SELECT last_error FROM outbox_event").get(0)).contains("object store 'files'");
    }

    @Test
    void theSweepDeletesBodiesWhoseRowIsGoneAndNoOthers() throws Exception {
        String kept = writeOnly(claimCheck().build(), large(random(LARGE)));
        String purged = writeOnly(claimCheck().build(), large(random(LARGE)));
        update("UPDATE outbox_event SET status = 1, done_at = created_at WHERE event_id = '" + purged + "'");
        int deleted = UnitOfWork.run(
                connections, conn -> store.purger().purge(conn, Instant.now().plusSeconds(86_400), 10));
        assertThat(deleted).isEqualTo(1);

        assertThat(PayloadSweep.of(claimCheck().build()).sweepOnce()).isEqualTo(new PayloadSweep.Report(1, 0));
        assertThat(bodies()).containsOnly(kept).hasSize(4);
    }

    @Test
    void aTransactionThatIsNotCommittedKeepsItsBody() throws Exception {
        Outbox writer = JdbcOutbox.writerOnly(dataSource, store)
                .transactions(tx)
                .seal(withFiles())
                .build();
        try (JdbcTransactionManager.Transaction open = new JdbcTransactionManager(connections, tx).begin()) {
            writer.writer().write(large(random(LARGE)));
            assertThat(PayloadSweep.of(withFiles()).sweepOnce()).isEqualTo(new PayloadSweep.Report(0, 0));
            open.commit();
        }
        assertThat(bodies()).hasSize(1);
        assertThat(files()).hasSize(1);
    }

    @Test
    void completionByDeleteLeavesNoBodyAfterTheSweep() throws Exception {
        ClaimCheck files = withFiles();
        try (Outbox outbox = builder(files)
                        .completionMode(CompletionMode.DELETE)
                        .build()
                        .start();
                PayloadSweep sweep =
                        PayloadSweep.of(files).every(Duration.ofMillis(50)).start()) {
            write(outbox, large(random(LARGE)));
            assertThat(only().payload()).hasSize(LARGE);
            await().atMost(Duration.ofMinutes(1)).until(() -> bodies().isEmpty() && files().isEmpty());
            assertThat(strings("SELECT event_id FROM outbox_event")).isEmpty();
        }
    }

    @Test
    void objectsOfCrashedTransactionsGoWhenTheyAreOldEnough() throws Exception {
        FileObjectStore objects = new FileObjectStore(directory);
        String old = new Ulid(() -> Instant.now().minus(Duration.ofHours(3))).generate();
        String cutOff = new Ulid(() -> Instant.now().minus(Duration.ofHours(2))).generate();
        String young = Ulid.next();
        for (String key : List.of(old, young)) {
            objects.put(key, new ByteArrayInputStream(random(10)));
        }
        Files.write(directory.resolve(cutOff + ".part"), random(10));
        writeOnly(withFiles(), large(random(LARGE)));

        PayloadSweep.Report report =
                PayloadSweep.of(withFiles()).orphanAge(Duration.ofHours(1)).sweepOnce();
        assertThat(report).isEqualTo(new PayloadSweep.Report(0, 2));
        assertThat(files())
                .hasSize(2)
                .anySatisfy(file -> assertThat(file.getFileName().toString()).startsWith(young));
    }

    @Test
    void aCopyHasItsOwnBodyAndSharesAnObject() throws Exception {
        byte[] payload = random(LARGE);
        for (ClaimCheck each : List.of(claimCheck().build(), withFiles())) {
            received.clear();
            String original = writeOnly(each, large(payload));
            String copy = Ulid.next();
            UnitOfWork.run(connections, conn -> {
                assertThat(table.lock(conn, original)).isTrue();
                assertThat(table.lock(conn, "none")).isFalse();
                table.copy(conn, original, copy);
                EventEnvelope stored = EventEnvelope.builder("Large")
                        .eventId(copy)
                        .header(PayloadTable.HEADER, "copied")
                        .payloadJson(new PayloadReference(PayloadForm.BYTES, LARGE, LARGE, "").asPayload())
                        .build();
                store.insertNew(conn, stored);
                return JdbcTemplate.update(
                        conn, "DELETE FROM outbox_event WHERE event_id = '" + original + "'", Binder.NOTHING);
            });
            PayloadSweep.of(each).sweepOnce();
            try (Outbox outbox = builder(each).build().start()) {
                Outboxes.awaitDone(dataSource, copy);
            }
            assertThat(only().payload()).isEqualTo(payload);
        }
    }

    @Test
    void archivedBodiesStayWithATableAndGoToFilesWithFiles() throws Exception {
        store.archiveSchema("outbox_archive").statements().forEach(this::run);
        ClaimCheck archiving = claimCheck().archiveTable("outbox_archive").build();
        byte[] payload = random(LARGE);
        String id = writeOnly(archiving, large(payload));
        update("UPDATE outbox_event SET status = 1, done_at = created_at");
        EventArchive archive = archiving.archive(EventArchive.inTable("outbox_archive"), directory);
        UnitOfWork.run(
                connections,
                conn -> new outbox.jdbc.purge.ArchivingEventPurger(store.table(), archive)
                        .purge(conn, Instant.now().plusSeconds(86_400), 10));

        assertThat(PayloadSweep.of(archiving).sweepOnce().bodies()).isZero();
        assertThat(bodies()).containsOnly(id);
        assertThat(Files.readAllBytes(directory.resolve(id + ".payload"))).isEqualTo(payload);
        update("DELETE FROM outbox_archive");
        assertThat(PayloadSweep.of(archiving).sweepOnce().bodies()).isEqualTo(1);
    }

    @Test
    void anObjectThatIsGoneDoesNotStopThePurge(@TempDir Path archived) throws Exception {
        store.archiveSchema("outbox_archive").statements().forEach(this::run);
        ClaimCheck archiving = claimCheck()
                .objects(new FileObjectStore(directory))
                .archiveTable("outbox_archive")
                .build();
        String gone = writeOnly(archiving, large(random(LARGE)));
        Files.delete(files().get(0));
        String whole = writeOnly(archiving, large(random(LARGE)));
        update("UPDATE outbox_event SET status = 1, done_at = created_at");
        EventArchive archive = archiving.archive(EventArchive.inTable("outbox_archive"), archived);
        UnitOfWork.run(
                connections,
                conn -> new outbox.jdbc.purge.ArchivingEventPurger(store.table(), archive)
                        .purge(conn, Instant.now().plusSeconds(86_400), 10));

        assertThat(strings("SELECT event_id FROM outbox_event")).isEmpty();
        assertThat(strings("SELECT event_id FROM outbox_archive")).containsExactlyInAnyOrder(gone, whole);
        try (Stream<Path> bodies = Files.list(archived)) {
            assertThat(bodies).containsExactly(archived.resolve(whole + ".payload"));
        }
    }

    @Test
    void orphansAreDeletedWhileTheirKeysAreListed() throws Exception {
        int orphans = 2 * PayloadSweep.KEYS + 1;
        AtomicInteger listed = new AtomicInteger();
        AtomicInteger deleted = new AtomicInteger();
        AtomicInteger held = new AtomicInteger();
        Ulid old = new Ulid(() -> Instant.now().minus(Duration.ofHours(3)));
        ObjectStore many = new ObjectStore() {
            @Override
            public String name() {
                return "many";
            }

            @Override
            public void put(String key, InputStream body) {
                throw new UnsupportedOperationException();
            }

            @Override
            public InputStream open(String key) {
                throw new UnsupportedOperationException();
            }

            @Override
            public void delete(String key) throws IOException {
                if (deleted.incrementAndGet() == 2 * orphans) {
                    throw new IOException("the store is gone");
                }
            }

            @Override
            public void forEachKey(Consumer<String> keys) {
                for (int i = 0; i < orphans; i++) {
                    keys.accept(old.generate());
                    held.accumulateAndGet(listed.incrementAndGet() - deleted.get(), Math::max);
                }
            }
        };
        ClaimCheck check = claimCheck().objects(many).build();
        assertThat(PayloadSweep.of(check).orphanAge(Duration.ofHours(1)).sweepOnce())
                .isEqualTo(new PayloadSweep.Report(0, orphans));
        assertThat(held.get()).isLessThanOrEqualTo(PayloadSweep.KEYS);
        assertThatThrownBy(() ->
                        PayloadSweep.of(check).orphanAge(Duration.ofHours(1)).sweepOnce())
                .isInstanceOf(IOException.class)
                .hasMessage("the store is gone");
    }

    private void run(String sql) {
        try (Connection conn = dataSource.getConnection();
                var statement = conn.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void deadEventsReplayWithTheirPayload() throws Exception {
        byte[] payload = random(LARGE);
        String id = writeOnly(claimCheck().build(), large(payload));
        update("UPDATE outbox_event SET status = " + EventStatus.DEAD.code());
        try (Outbox outbox = builder(claimCheck().build()).build().start()) {
            outbox.deadEvents().replay(id);
            Outboxes.awaitDone(dataSource, id);
        }
        assertThat(only().payload()).isEqualTo(payload);
    }
}
