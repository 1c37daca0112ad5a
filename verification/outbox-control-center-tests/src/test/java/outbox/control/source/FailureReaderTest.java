package outbox.control.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.control.OutboxTable;
import outbox.node.db.SchemaFile;
import outbox.node.db.Sql;
import outbox.spi.UnitOfWork;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedH2;
import outbox.testing.server.EmbeddedPostgres;

@Timeout(120)
class FailureReaderTest {
    private static final FailureReader.Filter ALL = new FailureReader.Filter(null, null, null, null);
    private static final Instant NOON = Instant.now().truncatedTo(ChronoUnit.DAYS);

    static Stream<DatabaseServer> servers() {
        return Stream.of(EmbeddedH2.shared(), EmbeddedPostgres.shared());
    }

    private static void failed(OutboxTable table, String id, String type, int outcome, Duration later)
            throws Exception {
        UnitOfWork.run(
                table.dataSource()::getConnection,
                conn -> new Sql(
                                table.application().flavor(),
                                "INSERT INTO outbox_attempt (id, event_id, event_type, attempt, happened_at, node, outcome,"
                                        + " error_class, error_text) VALUES (?, ?, ?, 2, ?, 'node-1/a', ?, 'Gone', ?)",
                                id,
                                "event-" + id,
                                type,
                                NOON.plus(later),
                                outcome,
                                "Gone: away\n\tat Shop.java")
                        .update(conn));
    }

    private static OutboxTable table(DatabaseServer server) throws Exception {
        OutboxTable table = OutboxTable.on(server);
        SchemaFile.ofNodes(table.application().flavor().database()).apply(table.dataSource());
        return table;
    }

    private static List<String> ids(FailureReader.Page page) {
        return page.failures().stream().map(FailureReader.Failure::eventId).toList();
    }

    @ParameterizedTest
    @MethodSource("servers")
    void failuresAreListedByActionTypeAndTime(DatabaseServer server) throws Exception {
        OutboxTable table = table(server);
        failed(table, "1", "order.placed", 2, Duration.ZERO);
        failed(table, "2", "order.placed", 3, Duration.ofHours(1));
        failed(table, "3", "parcel.sent", 2, Duration.ofHours(2));
        FailureReader reader = new FailureReader(table.application());

        FailureReader.Page all = reader.page(ALL, null, 50);
        assertThat(ids(all)).containsExactly("event-3", "event-2", "event-1");
        assertThat(all.next()).isNull();
        assertThat(all.recorded()).isTrue();
        assertThat(all.failures().get(1))
                .isEqualTo(new FailureReader.Failure(
                        AttemptReader.FAILED_PERMANENT,
                        NOON.plus(Duration.ofHours(1)),
                        "event-2",
                        "order.placed",
                        2,
                        null,
                        "node-1/a",
                        "Gone",
                        "Gone: away"));
        assertThat(ids(reader.page(
                        new FailureReader.Filter(AttemptReader.FAILED_PERMANENT, null, null, null), null, 50)))
                .containsExactly("event-2");
        assertThat(ids(reader.page(
                        new FailureReader.Filter(AttemptReader.SEND_FAILED, "order.placed", null, null), null, 50)))
                .containsExactly("event-1");
        assertThat(ids(reader.page(
                        new FailureReader.Filter(
                                null, null, NOON.plus(Duration.ofMinutes(1)), NOON.plus(Duration.ofHours(1))),
                        null,
                        50)))
                .containsExactly("event-2");
    }

    @ParameterizedTest
    @MethodSource("servers")
    void pagesFollowEachOtherWithoutGapsOrRepetitions(DatabaseServer server) throws Exception {
        OutboxTable table = table(server);
        for (int i = 0; i < 7; i++) { // of one moment too
            failed(table, "a" + i, "order.placed", 2, Duration.ofMinutes(i / 3));
        }
        FailureReader reader = new FailureReader(table.application());
        List<String> seen = new ArrayList<>();
        String cursor = null;
        do {
            FailureReader.Page page = reader.page(ALL, cursor, 2);
            seen.addAll(ids(page));
            cursor = page.next();
        } while (cursor != null);
        assertThat(seen)
                .containsExactly("event-a6", "event-a5", "event-a4", "event-a3", "event-a2", "event-a1", "event-a0");
    }

    @Test
    void whatNodesCouldNotRecordIsCounted() throws Exception {
        OutboxTable table = table(EmbeddedH2.shared());
        for (String node : List.of("a", "b")) {
            table.execute("INSERT INTO outbox_node VALUES ('" + node + "', '1', CURRENT_TIMESTAMP, CURRENT_TIMESTAMP,"
                    + " 0, 0, 0, 0, 7, 0, 0, 0)");
        }
        table.execute("INSERT INTO outbox_node VALUES ('c', '1', CURRENT_TIMESTAMP, CURRENT_TIMESTAMP,"
                + " 0, 0, 0, 0, -1, 0, 0, 0)");
        assertThat(new FailureReader(table.application()).page(ALL, null, 50).lost())
                .isEqualTo(14);
    }

    @Test
    void anApplicationWithoutRecordsSaysSo() throws Exception {
        FailureReader reader =
                new FailureReader(OutboxTable.on(EmbeddedH2.shared()).application());
        assertThat(reader.page(ALL, null, 50)).isEqualTo(new FailureReader.Page(List.of(), null, false, 0));
    }

    @Test
    void whatIsNoActionOrCursorIsRefused() throws Exception {
        assertThatThrownBy(() -> new FailureReader.Filter("explode", null, null, null))
                .hasMessageContaining("outbox-send-failed or outbox-failed-permanent");
        FailureReader reader = new FailureReader(table(EmbeddedH2.shared()).application());
        assertThatThrownBy(() -> reader.page(ALL, "nonsense", 50)).hasMessageContaining("'nonsense'");
    }
}
