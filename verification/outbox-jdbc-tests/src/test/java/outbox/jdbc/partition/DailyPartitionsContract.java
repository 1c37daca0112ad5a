package outbox.jdbc.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import outbox.EventEnvelope;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TestTable;
import outbox.jdbc.archive.EventArchive;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.spi.DuplicateEventException;
import outbox.spi.TableRotation.Report;
import outbox.testing.server.DatabaseServer;
import outbox.util.Ulid;

/** What a table of daily partitions promises, on every database that has them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class DailyPartitionsContract {
    private static final Instant TODAY = Instant.now().truncatedTo(ChronoUnit.DAYS);
    private static final Duration RETENTION = Duration.ofDays(3);

    private final Supplier<DatabaseServer> server;
    private final AbstractJdbcOutboxStore store;
    private TestTable table;

    @TempDir
    Path directory;

    DailyPartitionsContract(Supplier<DatabaseServer> server, AbstractJdbcOutboxStore store) {
        this.server = server;
        this.store = store;
    }

    @BeforeEach
    void aTableWithAPartitionForToday() throws SQLException {
        if (table == null) {
            table = TestTable.partitioned(server.get(), store, TODAY);
        } else {
            table.recreate();
        }
    }

    @AfterAll
    void dropDatabase() throws SQLException {
        table.close();
    }

    final TestTable table() {
        return table;
    }

    final AbstractJdbcOutboxStore store() {
        return store;
    }

    private Report rotate(DailyPartitions partitions, Instant now) throws SQLException {
        return partitions.rotate(table.dataSource()::getConnection, now, RETENTION);
    }

    private static Instant day(int day) {
        return TODAY.plus(Duration.ofDays(day));
    }

    private static String name(int day) {
        return day(day).toString().substring(0, 10);
    }

    private static EventEnvelope at(Instant time) {
        return EventEnvelope.builder("Happened")
                .eventId(new Ulid(() -> time).generate())
                .occurredAt(time)
                .header("k", "v \"quoted\"")
                .payloadJson("{\n\"a\": 1}")
                .build();
    }

    private void insert(EventEnvelope... events) throws SQLException {
        try (Connection conn = table.dataSource().getConnection()) {
            store.insertBatch(conn, List.of(events));
        }
    }

    private void end(EventEnvelope event, Instant time) throws SQLException {
        try (Connection conn = table.dataSource().getConnection()) {
            store.markDone(conn, event.eventId());
            JdbcTemplate.update(conn, "UPDATE outbox_event SET done_at = ? WHERE event_id = ?", statement -> {
                days().dialect().times().bind(statement, 1, time);
                statement.setString(2, event.eventId());
            });
        }
    }

    private List<String> ids(String from) throws SQLException {
        try (Connection conn = table.dataSource().getConnection()) {
            return JdbcTemplate.query(
                    conn,
                    "SELECT event_id FROM " + from + " ORDER BY event_id",
                    JdbcTemplate.Binder.NOTHING,
                    row -> row.getString(1));
        }
    }

    private List<String> archivedLines() throws IOException {
        List<String> lines = new ArrayList<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.sorted().toList()) {
                assertThat(file.toString()).endsWith(".ndjson.gz");
                try (BufferedReader reader = new BufferedReader(new InputStreamReader(
                        new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
                    reader.lines().forEach(lines::add);
                }
            }
        }
        return lines;
    }

    @Test
    void daysToComeHaveTheirPartitionAheadOfTime() throws SQLException {
        DailyPartitions partitions = store.dailyPartitions().daysAhead(2);
        assertThat(rotate(partitions, day(4)).created()).containsExactly(name(4), name(5), name(6));
        assertThat(rotate(partitions, day(4)).created()).isEmpty();
        assertThat(rotate(partitions, day(5)).created()).containsExactly(name(7));
        EventEnvelope later = at(day(6).plusSeconds(3600));
        insert(later);
        assertThat(ids(partition(6))).containsExactly(later.eventId());
    }

    /** What stands behind FROM for one day. */
    abstract String partition(String day);

    private String partition(int day) {
        return partition(name(day).replace("-", ""));
    }

    /** What stands behind FROM for ids of no day. */
    abstract String rest();

    @Test
    void daysMadeByAClockThatWasAheadDoNotTakeInThoseBeforeThem() throws SQLException {
        EventEnvelope early = at(day(1));
        rotate(store.dailyPartitions(), day(20));
        insert(early);
        assertThat(rotate(store.dailyPartitions(), day(0)).created()).contains(name(2), name(3));
        EventEnvelope later = at(day(2));
        insert(later);
        assertThat(ids(partition(2))).containsExactly(later.eventId());
        assertThat(ids("outbox_event")).containsExactly(early.eventId(), later.eventId());
    }

    @Test
    void aDayThatEndedLongAgoIsDroppedWithItsRowsArchived() throws Exception {
        DailyPartitions partitions = store.dailyPartitions().archive(EventArchive.inFiles(directory));
        EventEnvelope first = at(day(0));
        EventEnvelope last = at(day(1).minusMillis(1));
        EventEnvelope next = at(day(1));
        insert(first, last, next);
        for (EventEnvelope event : List.of(first, last, next)) {
            end(event, day(1));
        }
        assertThat(rotate(partitions, day(4).minusMillis(1)).dropped()).isEmpty();
        assertThat(rotate(partitions, day(4).plusSeconds(1)).dropped()).containsExactly(name(0));
        assertThat(ids("outbox_event")).containsExactly(next.eventId());
        assertThat(archivedLines())
                .hasSize(2)
                .allMatch(line -> line.contains("\"headers\":{\"k\":") && line.contains("\"status\":1"))
                .anyMatch(line -> line.contains("\"event_id\":\"" + first.eventId() + "\"")
                        && line.contains("\"created_at\":\"" + day(0) + "\""))
                .anyMatch(line -> line.contains(last.eventId()));
        assertThat(directory.resolve("outbox_event-" + name(0) + ".ndjson.gz")).isRegularFile();
    }

    @Test
    void aDayWithAnEventToBeDeliveredStaysAndIsReported() throws Exception {
        EventEnvelope delivered = at(day(0));
        EventEnvelope pending = at(day(0));
        insert(delivered, pending);
        end(delivered, day(0));
        Report report = rotate(store.dailyPartitions(), day(7));
        assertThat(report.dropped()).doesNotContain(name(0)).contains(name(1));
        assertThat(report.kept()).singleElement().asString().contains(name(0)).contains("1 event(s) are not delivered");
        assertThat(ids("outbox_event")).containsExactlyInAnyOrder(delivered.eventId(), pending.eventId());

        end(pending, day(6));
        report = rotate(store.dailyPartitions(), day(7));
        assertThat(report.dropped()).isEmpty();
        assertThat(report.kept()).singleElement().asString().contains("within the retention");
        assertThat(rotate(store.dailyPartitions(), day(9).plusSeconds(1)).dropped())
                .contains(name(0));
    }

    @Test
    void anEventThatBecomesPendingAtTheLastMomentIsNotDetached() throws Exception {
        EventEnvelope replayed = at(day(0));
        insert(replayed);
        PartitionedTable days = days();
        assertThat(days.detach(table.dataSource()::getConnection, Days.of(day(0)), false))
                .isFalse();
        assertThat(ids(partition(0))).containsExactly(replayed.eventId());
        try (Connection conn = table.dataSource().getConnection()) {
            assertThat(days.detached(conn)).isEmpty();
        }
    }

    abstract PartitionedTable days();

    @Test
    void aDayThatCouldNotBeArchivedIsKeptAndArchivedLater() throws Exception {
        EventEnvelope event = at(day(0));
        insert(event);
        end(event, day(0));
        Path missing = directory.resolve("not-mounted");
        DailyPartitions partitions = store.dailyPartitions().archive(EventArchive.inFiles(missing));
        Report report = rotate(partitions, day(7));
        assertThat(report.dropped()).doesNotContain(name(0));
        assertThat(report.kept()).anyMatch(line -> line.contains("not-mounted"));
        Files.createDirectory(missing);
        assertThat(rotate(partitions, day(7)).dropped()).contains(name(0));
        assertThat(missing.resolve("outbox_event-" + name(0) + ".ndjson.gz")).isRegularFile();
    }

    @Test
    void anArchiveFileIsNeverWrittenOver() throws Exception {
        Path taken = directory.resolve("outbox_event-" + name(0) + ".ndjson.gz");
        Files.writeString(taken, "somebody's");
        EventEnvelope event = at(day(0));
        insert(event);
        end(event, day(0));
        assertThat(rotate(store.dailyPartitions().archive(EventArchive.inFiles(directory)), day(7))
                        .dropped())
                .contains(name(0));
        assertThat(taken).hasContent("somebody's");
        Files.delete(taken);
        assertThat(archivedLines()).singleElement().asString().contains(event.eventId());
    }

    @Test
    void rowsCanGoToAnArchiveTable() throws Exception {
        try (Connection conn = table.dataSource().getConnection()) {
            store.archiveSchema("outbox_event_archive").apply(conn);
        }
        try {
            EventEnvelope first = at(day(0));
            EventEnvelope foreign = EventEnvelope.builder("Happened")
                    .eventId("3f2a-foreign")
                    .occurredAt(day(0))
                    .payloadJson("{}")
                    .build();
            insert(first, foreign);
            end(first, day(0));
            end(foreign, day(0));
            DailyPartitions partitions = store.dailyPartitions().archive(EventArchive.inTable("outbox_event_archive"));
            assertThat(rotate(partitions, day(7)).dropped()).contains(name(0));
            assertThat(ids("outbox_event")).isEmpty();
            assertThat(ids("outbox_event_archive")).containsExactly(first.eventId(), "3f2a-foreign");
        } finally {
            table.execute("DROP TABLE outbox_event_archive");
        }
    }

    @Test
    void idsOfNoDayAreUniqueClaimedAndPurgedRowByRow() throws Exception {
        EventEnvelope low = EventEnvelope.builder("Happened")
                .eventId("00aa")
                .payloadJson("{}")
                .build();
        EventEnvelope high = EventEnvelope.builder("Happened")
                .eventId("f47ac10b-58cc")
                .payloadJson("{}")
                .build();
        EventEnvelope longAgo = at(day(-30));
        insert(low, high, longAgo);
        assertThatThrownBy(() -> insert(high)).isInstanceOf(DuplicateEventException.class);
        for (EventEnvelope event : List.of(low, high)) {
            end(event, day(-8));
        }
        assertThat(ids(rest())).contains("00aa", "f47ac10b-58cc");
        Report report = rotate(store.dailyPartitions(), day(0));
        assertThat(report.purged()).isEqualTo(2);
        assertThat(ids("outbox_event")).containsExactly(longAgo.eventId());
    }

    @Test
    void aTableInUseIsLeftAloneAndTheRoundGoesOn() throws Exception {
        EventEnvelope event = at(day(0));
        insert(event);
        end(event, day(0));
        try (Connection user = table.dataSource().getConnection()) {
            user.setAutoCommit(false);
            store.insertNew(user, at(day(1)));
            Report report = rotate(store.dailyPartitions(), day(7));
            assertThat(report.dropped()).isEmpty();
            assertThat(report.kept()).anyMatch(line -> line.startsWith(name(0)) && line.contains("in use"));
            user.rollback();
        }
        assertThat(rotate(store.dailyPartitions(), day(7)).dropped()).contains(name(0));
    }

    @Test
    void oneNodeAtATimeLooksAfterTheTable() throws Exception {
        Report other = store.election()
                .run(table.dataSource()::getConnection, "partitions", conn -> rotate(store.dailyPartitions(), day(9)))
                .orElseThrow();
        assertThat(other.created()).isEmpty();
        assertThat(rotate(store.dailyPartitions(), day(9)).created()).contains(name(9));
    }

    @Test
    void byAgeAloneTakesWhatNobodyMarks() throws Exception {
        EventEnvelope foreign = EventEnvelope.builder("Happened")
                .eventId("f47ac10b-58cc")
                .occurredAt(day(0))
                .payloadJson("{}")
                .build();
        EventEnvelope old = at(day(0));
        insert(old, foreign, at(day(6)));
        DailyPartitions partitions = store.dailyPartitions().byAgeAlone().archive(EventArchive.inFiles(directory));
        assertThat(partitions.takesUndelivered()).isTrue();
        assertThat(rotate(partitions, day(7)).dropped()).contains(name(0));
        assertThat(ids("outbox_event")).hasSize(1);
        assertThat(archivedLines())
                .hasSize(2)
                .anyMatch(line -> line.contains(old.eventId()))
                .anyMatch(line -> line.contains("f47ac10b-58cc"));
    }

    @Test
    void aTableWithoutPartitionsIsRefusedByName() throws Exception {
        table.execute("DROP TABLE outbox_event");
        try (Connection conn = table.dataSource().getConnection()) {
            store.schema().apply(conn);
        }
        assertThatThrownBy(() -> rotate(store.dailyPartitions(), TODAY))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("outbox_event")
                .hasMessageContaining("-partitioned.sql");
    }
}
