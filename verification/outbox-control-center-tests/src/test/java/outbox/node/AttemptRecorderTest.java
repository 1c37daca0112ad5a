package outbox.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.control.OutboxTable;
import outbox.control.source.AttemptReader;
import outbox.jdbc.store.JdbcOutbox;
import outbox.node.db.SchemaFile;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.FailedDelivery;
import outbox.spi.Settlement;
import outbox.testing.server.EmbeddedPostgres;

@Timeout(180)
class AttemptRecorderTest {
    @Test
    void theTimelineOfAnEventShowsEveryFailedDelivery() throws SQLException {
        OutboxTable table = OutboxTable.on(EmbeddedPostgres.shared());
        assertThat(new AttemptReader(table.application()).of("x")).isNull();
        String id = table.insert(OutboxTable.event("A", "1").build());
        try (AttemptRecorder recorder = AttemptRecorder.on(table.dataSource());
                Outbox outbox = JdbcOutbox.multiNode(table.dataSource())
                        .nodeId("node-a")
                        .maxAttempts(2)
                        .retryPolicy(attempt -> 0)
                        .pollInterval(Duration.ofMillis(20))
                        .failureListener(recorder)
                        .listeners(new DefaultListenerRegistry().register("Order", "A", event -> {
                            throw new IOException("the other side is away \0");
                        }))
                        .build()
                        .start()) {
            AttemptReader reader = new AttemptReader(table.application());
            await().atMost(Duration.ofSeconds(60)).until(() -> reader.of(id).size() == 2);
            List<AttemptReader.Attempt> attempts = reader.of(id);
            assertThat(attempts).extracting(AttemptReader.Attempt::number).containsExactly(1, 2);
            assertThat(attempts)
                    .extracting(AttemptReader.Attempt::action)
                    .containsExactly("outbox-send-failed", "outbox-failed-permanent");
            assertThat(attempts).extracting(AttemptReader.Attempt::dead).containsExactly(false, true);
            assertThat(attempts).allSatisfy(attempt -> {
                assertThat(attempt.node()).startsWith("node-a/");
                assertThat(attempt.errorClass()).isEqualTo("java.io.IOException");
                assertThat(attempt.error()).contains("the other side is away").contains("AttemptRecorderTest");
                assertThat(attempt.durationMicros()).isNotNull();
            });
            assertThat(recorder.lost()).isZero();
        }
    }

    /** As a text of another alphabet in a database without it. */
    @Test
    void anErrorTextThatTheDatabaseRefusesIsLeftOutAndCostsNoOtherRecord() throws SQLException {
        OutboxTable table = OutboxTable.on(EmbeddedPostgres.shared());
        SchemaFile.ofNodes("postgresql").apply(table.dataSource());
        table.execute("ALTER TABLE outbox_attempt ADD CHECK (error_text NOT LIKE '%snowman%')");
        AttemptReader reader = new AttemptReader(table.application());
        try (AttemptRecorder recorder = AttemptRecorder.on(table.dataSource())) {
            List<String> ids = new ArrayList<>();
            for (String text : List.of("first", "snowman", "third")) {
                EventEnvelope event = OutboxTable.event("A", "1").build();
                ids.add(event.eventId());
                recorder.failed(new FailedDelivery(
                        event, 1, null, null, new IOException(text), new Settlement.Dead(event.eventId(), 1, text)));
            }
            for (String id : ids) {
                await().atMost(Duration.ofSeconds(60)).until(() -> reader.of(id).size() == 1);
            }
            assertThat(reader.of(ids.get(0)).get(0).error()).contains("first");
            assertThat(reader.of(ids.get(1)).get(0))
                    .satisfies(refused -> assertThat(refused.errorClass()).isEqualTo("java.io.IOException"))
                    .satisfies(refused -> assertThat(refused.error()).contains("refused"));
            assertThat(recorder.lost()).isZero();
        }
    }

    @Test
    void whatIsOlderThanItIsToBeKeptIsTakenAway() throws SQLException {
        OutboxTable table = OutboxTable.on(EmbeddedPostgres.shared());
        SchemaFile.ofNodes("postgresql").apply(table.dataSource());
        table.execute(
                "INSERT INTO outbox_attempt SELECT 'old-' || n, 'x', 'A', n, now() - interval '2 days', 1, 'node', 2,"
                        + " 'E', 'e' FROM generate_series(1, 1200) n");
        table.execute(
                "INSERT INTO outbox_attempt VALUES ('new', 'x', 'A', 1201, now() - interval '20 hours', 1, 'node', 3,"
                        + " 'E', 'e')");
        AttemptReader reader = new AttemptReader(table.application());
        try (AttemptRecorder recorder = AttemptRecorder.on(table.dataSource(), Duration.ofDays(1))) {
            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(reader.of("x"))
                            .extracting(AttemptReader.Attempt::number)
                            .containsExactly(1201));
            assertThat(recorder.lost()).isZero();
        }
        assertThatThrownBy(() -> AttemptRecorder.on(table.dataSource(), Duration.ofDays(-1)))
                .hasMessageContaining("retention of attempts must be positive");
    }

    @Test
    void aFullQueueLosesRecordsAndNeverWaits() throws SQLException {
        OutboxTable table = OutboxTable.on(EmbeddedPostgres.shared());
        AttemptRecorder notStarted =
                new AttemptRecorder(table.dataSource(), InstantSource.system(), 3, AttemptRecorder.DEFAULT_KEPT);
        for (int i = 0; i < 5; i++) {
            notStarted.failed(new FailedDelivery(
                    OutboxTable.event("A", "1").build(),
                    1,
                    null,
                    null,
                    new IOException("away"),
                    new Settlement.Dead("x", 1, "away")));
        }
        assertThat(notStarted.lost()).isEqualTo(2);
    }
}
