package outbox.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.control.source.NodeReader.Node;

class FailureShareTest {
    private final FailureShare share = new FailureShare();
    private final Instant start = Instant.parse("2026-01-31T12:00:00Z");

    private static Node node(String name, long delivered, long failed, long dead) {
        return new Node(name, "1", Instant.EPOCH, Instant.EPOCH, 0, 0, delivered, failed, dead, 0L, 0, 0, 0);
    }

    @Test
    void oneFailureAmongManyDeliveriesIsNotEverything() {
        assertThat(share.percent(List.of(node("a", 1000, 5, 0)), start)).isNull();
        assertThat(share.percent(List.of(node("a", 1098, 6, 1)), start.plusSeconds(10)))
                .isEqualTo(2);
    }

    @Test
    void onlyTheLastMinuteCounts() {
        share.percent(List.of(node("a", 0, 0, 0)), start);
        share.percent(List.of(node("a", 0, 100, 0)), start.plusSeconds(30));
        assertThat(share.percent(List.of(node("a", 10, 100, 0)), start.plusSeconds(60)))
                .isGreaterThan(90);
        assertThat(share.percent(List.of(node("a", 20, 100, 0)), start.plusSeconds(80)))
                .isZero();
    }

    @Test
    void aNodeThatStartedInTheMeantimeCountsFromItsStart() {
        share.percent(List.of(node("a", 100, 0, 0)), start);
        assertThat(share.percent(List.of(node("a", 100, 0, 0), node("b", 1, 1, 0)), start.plusSeconds(10)))
                .isEqualTo(50);
    }

    @Test
    void whereNothingHappensNothingFails() {
        share.percent(List.of(node("a", 100, 7, 1)), start);
        assertThat(share.percent(List.of(node("a", 100, 7, 1)), start.plusSeconds(10)))
                .isZero();
    }
}
