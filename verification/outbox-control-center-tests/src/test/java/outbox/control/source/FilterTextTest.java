package outbox.control.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class FilterTextTest {
    private static final Instant NOW = Instant.parse("2026-01-31T12:00:00Z");

    @Test
    void whatIsWrittenIsReadAgain() {
        EventFilter filter = EventFilter.ALL
                .withStates(EventState.DEAD, EventState.RETRY)
                .withType("Order*")
                .withAggregate("Order", "a&b=c 1")
                .withError("100% 错误")
                .createdBetween(NOW.minus(Duration.ofHours(1)), null);
        assertThat(FilterText.read(FilterText.write(filter), NOW)).isEqualTo(filter);
        assertThat(FilterText.write(EventFilter.ALL)).isEmpty();
        assertThat(FilterText.read("", NOW)).isEqualTo(EventFilter.ALL);
    }

    @Test
    void anAgeLiesBackFromNow() {
        assertThat(FilterText.read("from=PT1H", NOW).from()).isEqualTo(Instant.parse("2026-01-31T11:00:00Z"));
    }

    @Test
    void whatIsNoStateOrTimeIsRefused() {
        assertThatThrownBy(() -> FilterText.read("state=lost", NOW)).hasMessageContaining("unknown state");
        assertThatThrownBy(() -> FilterText.read("to=tomorrow", NOW)).hasMessageContaining("to must be a time");
    }
}
