package outbox.control.live;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.control.live.NodeRates.Rates;
import outbox.control.source.NodeReader.Node;

class NodeRatesTest {
    private final NodeRates rates = new NodeRates();
    private final Instant start = Instant.parse("2026-01-31T12:00:00Z");

    private static Node node(String name, long delivered, long failed, long dead) {
        return new Node(name, "1", Instant.EPOCH, Instant.EPOCH, 0, 0, delivered, failed, dead, 0L, 0, 0, 0);
    }

    @Test
    void countersBecomeRatesPerMinute() {
        assertThat(rates.of(List.of(node("a", 1000, 5, 0)), start)).isNull();
        assertThat(rates.of(List.of(node("a", 1098, 6, 1)), start.plusSeconds(10)))
                .isEqualTo(new Rates(588, 12));
    }

    @Test
    void onlyTheLastMinuteCounts() {
        rates.of(List.of(node("a", 0, 0, 0)), start);
        rates.of(List.of(node("a", 0, 100, 0)), start.plusSeconds(30));
        assertThat(rates.of(List.of(node("a", 10, 100, 0)), start.plusSeconds(60)))
                .isEqualTo(new Rates(10, 100));
        assertThat(rates.of(List.of(node("a", 20, 100, 0)), start.plusSeconds(90)))
                .isEqualTo(new Rates(20, 0));
    }

    @Test
    void samplesThatAreMoreThanAMinuteApartAreComparedToo() {
        rates.of(List.of(node("a", 0, 0, 0)), start);
        rates.of(List.of(node("a", 60, 0, 0)), start.plusSeconds(61));
        assertThat(rates.of(List.of(node("a", 182, 0, 0)), start.plusSeconds(122)))
                .isEqualTo(new Rates(120, 0));
    }

    @Test
    void aNodeThatStartedInTheMeantimeCountsFromItsStart() {
        rates.of(List.of(node("a", 100, 0, 0)), start);
        assertThat(rates.of(List.of(node("a", 100, 0, 0), node("b", 1, 1, 0)), start.plusSeconds(60)))
                .isEqualTo(new Rates(1, 1));
    }

    @Test
    void whereNothingHappensNothingFails() {
        rates.of(List.of(node("a", 100, 7, 1)), start);
        assertThat(rates.of(List.of(node("a", 100, 7, 1)), start.plusSeconds(10)))
                .isEqualTo(new Rates(0, 0));
    }
}
