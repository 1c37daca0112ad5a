package outbox.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.control.alert.AlertMetric;
import outbox.control.alert.Reading;
import outbox.control.audit.AuditKey;
import outbox.node.db.SchemaFile;
import outbox.testing.server.EmbeddedH2;

@Timeout(120)
class SourceReadingsTest {
    private OutboxTable orders;
    private ControlCenter center;

    @BeforeEach
    void createTables() throws SQLException {
        orders = OutboxTable.on(EmbeddedH2.shared());
        SchemaFile.ofNodes("h2").apply(orders.dataSource());
    }

    @AfterEach
    void close() {
        center.close();
    }

    /** @param interval of samples */
    private SourceReadings readings(Duration interval) throws InterruptedException {
        center = ControlCenter.builder(orders.dataSource(), new AuditKey(new byte[32]))
                .application(orders.application())
                .sampleInterval(interval)
                .build();
        ControlCenter.Source source = center.source("orders");
        assertThat(source.sampler().next(null, null, Duration.ofMinutes(1))).isNotNull();
        return new SourceReadings(Map.of("orders", source));
    }

    @Test
    void withoutASampleToCompareWithThereIsNoFailureRate() throws Exception {
        node("a", Duration.ZERO, 100, 7);
        assertThat(readings(Duration.ofHours(1)).of("orders", AlertMetric.FAILURE_RATE))
                .isNull();
    }

    @Test
    void whatANodeCountedBeforeItFellSilentIsNotNewWhenItIsBack() throws Exception {
        node("a", Duration.ZERO, 100, 0);
        node("b", Duration.ofMinutes(10), 0, 300_000);
        SourceReadings readings = readings(Duration.ofMillis(20));
        node("a", Duration.ZERO, 149, 0);
        node("b", Duration.ZERO, 0, 300_001);
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(readings.of("orders", AlertMetric.FAILURE_RATE))
                        .isEqualTo(List.of(new Reading("", 2))));
    }

    @Test
    void scheduledEventsAreNeitherOldNorWaiting() throws Exception {
        orders.insert(OutboxTable.event("Later", "k")
                .occurredAt(Instant.now().minus(Duration.ofDays(1)))
                .deliverAfter(Duration.ofDays(2))
                .build());
        assertThat(readings(Duration.ofHours(1)).of("orders", AlertMetric.OLDEST_AGE))
                .isEqualTo(List.of(new Reading("", 0)));
        assertThat(center.source("orders").sampler().last().fresh()).isZero();
        assertThat(center.source("orders").sampler().last().scheduled()).isEqualTo(1);
    }

    /** Its row as of its last heartbeat. */
    private void node(String name, Duration silence, long delivered, long failed) throws SQLException {
        orders.execute("MERGE INTO outbox_node VALUES ('" + name + "', '1', " + ago(Duration.ofHours(1)) + ", "
                + ago(silence) + ", 0, " + delivered + ", " + failed + ", 0, 0, 0, 0, 0)");
    }

    private static String ago(Duration time) {
        return "DATEADD(SECOND, -" + time.toSeconds() + ", CURRENT_TIMESTAMP AT TIME ZONE 'UTC')";
    }
}
