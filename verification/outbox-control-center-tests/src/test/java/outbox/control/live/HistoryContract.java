package outbox.control.live;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.control.ControlCenter;
import outbox.control.source.Hold;
import outbox.control.source.NodeReader.Node;
import outbox.node.db.Flavor;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.TestDatabase;

/** The metrics of past days, the same on every database. */
abstract class HistoryContract {
    private static final Instant NOON = Instant.parse("2026-01-31T12:00:00Z");

    private History history;

    abstract DatabaseServer server();

    @BeforeEach
    void createTables() throws SQLException {
        TestDatabase database = server().freshDatabase();
        ControlCenter.schema(Flavor.detect(database.dataSource()).database()).apply(database.dataSource());
        history = new History(database.dataSource());
    }

    private static HistoryPoint minute(Instant at, int waiting, double delivered, Double failed) {
        return new HistoryPoint(at, 1, 2 * waiting, waiting, 1, 2, 3, 5, delivered, failed, 10.0, 20.0 + waiting, 0);
    }

    @Test
    void minutesAreReadAsTheyWereStored() throws SQLException {
        HistoryPoint first = minute(NOON, 7, 60, 1.5);
        HistoryPoint second = minute(NOON.plusSeconds(60), 8, 61, null);
        assertThat(history.add("orders", first)).isTrue();
        assertThat(history.add("orders", second)).isTrue();
        assertThat(history.add("billing", first)).isTrue();
        History.Range range = history.range("orders", Duration.ofHours(1), NOON.plusSeconds(90));
        assertThat(range.interval()).isEqualTo(Duration.ofMinutes(1));
        assertThat(range.points()).containsExactly(first, second);
        assertThat(history.range("orders", Duration.ofHours(1), NOON.plus(Duration.ofHours(2)))
                        .points())
                .isEmpty();
    }

    @Test
    void aMinuteThatAnotherControlCenterStoredIsNotCountedTwice() throws SQLException {
        assertThat(history.add("orders", minute(NOON, 7, 60, 0.0))).isTrue();
        assertThat(history.add("orders", minute(NOON, 9, 90, 0.0))).isFalse();
        assertThat(history.range("orders", Duration.ofDays(7), NOON.plusSeconds(60))
                        .points())
                .singleElement()
                .satisfies(point -> assertThat(point.delivered()).isEqualTo(60));
    }

    @Test
    void aQuarterOfAnHourAddsEventsAndKeepsTheHighestOfTheRest() throws SQLException {
        history.add("orders", minute(NOON, 7, 60, null));
        history.add("orders", minute(NOON.plusSeconds(60), 9, 30, 2.0));
        history.add("orders", minute(NOON.plusSeconds(15 * 60), 1, 1, null));
        assertThat(history.range("orders", Duration.ofDays(2), NOON.plus(Duration.ofHours(1)))
                        .points())
                .containsExactly(
                        new HistoryPoint(NOON, 2, 18, 9, 1, 2, 3, 10, 90, 2.0, 10.0, 29.0, 0),
                        minute(NOON.plusSeconds(15 * 60), 1, 1, null));
    }

    @Test
    void aLongRangeIsMergedIntoFewerPoints() throws SQLException {
        for (int quarter = 0; quarter < 16; quarter++) {
            history.add("orders", minute(NOON.plus(Duration.ofMinutes(15L * quarter)), quarter, 1, 0.0));
        }
        History.Range month = history.range("orders", Duration.ofDays(30), NOON.plus(Duration.ofHours(5)));
        assertThat(month.interval()).isEqualTo(Duration.ofMinutes(90));
        assertThat(month.points()).hasSizeLessThan(6);
        assertThat(month.points().stream().mapToDouble(HistoryPoint::delivered).sum())
                .isEqualTo(16);
    }

    @Test
    void oldMinutesAreForgottenAndTheirQuartersKept() throws SQLException {
        history.add("orders", minute(NOON, 7, 60, 0.0));
        Instant later = NOON.plus(Duration.ofDays(2));
        history.add("orders", minute(later, 7, 60, 0.0));
        assertThat(history.range("orders", Duration.ofHours(24), NOON.plusSeconds(60))
                        .points())
                .isEmpty();
        assertThat(history.range("orders", Duration.ofDays(7), later.plusSeconds(60))
                        .points())
                .hasSize(2);
        history.add("orders", minute(NOON.plus(Duration.ofDays(40)), 7, 60, 0.0));
        assertThat(history.range("orders", Duration.ofDays(7), later.plusSeconds(60))
                        .points())
                .isEmpty();
    }

    @Test
    void samplesAreStoredWhenTheirMinuteIsOver() throws SQLException {
        MinuteOfSamples minute = new MinuteOfSamples(history, "orders");
        minute.add(sample(NOON, 4, 10), List.of());
        minute.add(sample(NOON.plusSeconds(30), 9, 20), List.of(node(NOON.plusSeconds(20))));
        assertThat(history.range("orders", Duration.ofHours(1), NOON.plusSeconds(30))
                        .points())
                .isEmpty();
        minute.add(sample(NOON.plusSeconds(61), 1, 0), List.of(node(NOON.plusSeconds(20))));
        assertThat(history.range("orders", Duration.ofHours(1), NOON.plusSeconds(61))
                        .points())
                .singleElement()
                .satisfies(point -> {
                    assertThat(point.at()).isEqualTo(NOON);
                    assertThat(point.waiting()).isEqualTo(9);
                    assertThat(point.delivered()).isEqualTo(15);
                    assertThat(point.nodeStarts()).isEqualTo(1);
                });
    }

    private static Sample sample(Instant at, int waiting, double delivered) {
        List<Hold> none = List.of();
        return new Sample(at, waiting, 0, 0, none, 0, 0, 0, 1, 5, delivered, 0.0, null, null, 1, 1, 0);
    }

    private static Node node(Instant startedAt) {
        return new Node("a", "1", startedAt, startedAt, 0, 0, 0, 0, 0, 0L, 0, 0, 0);
    }
}
