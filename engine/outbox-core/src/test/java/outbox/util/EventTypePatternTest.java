package outbox.util;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EventTypePatternTest {
    @ParameterizedTest
    @CsvSource({
        "order.*, order.placed, true",
        "order.*, order., true",
        "order.*, orders.placed, false",
        "*, anything, true",
        "order.placed, order.placed, true",
        "order.placed, orderXplaced, false",
        "*.failed, payment.card.failed, true"
    })
    void aStarStandsForAnyCharacters(String pattern, String eventType, boolean matches) {
        assertThat(new EventTypePattern(pattern).matches(eventType)).isEqualTo(matches);
    }

    @ParameterizedTest
    @CsvSource({
        "order.*, payment.*, false",
        "order.*, order.placed, true",
        "order.*, *.placed, true",
        "order.*, *, true",
        "*, *, true",
        "order.placed, order.placed, true",
        "order.placed, order.paid, false",
        "a*b, *c, false",
        "a*b, *bb, true",
        "a**b, ab, true",
        "ab, a, false"
    })
    void patternsOverlapIfOneNameMatchesBoth(String one, String other, boolean overlap) {
        assertThat(new EventTypePattern(one).overlaps(new EventTypePattern(other)))
                .isEqualTo(overlap);
        assertThat(new EventTypePattern(other).overlaps(new EventTypePattern(one)))
                .isEqualTo(overlap);
    }

    @Test
    void aBlankOneIsRefused() {
        assertThatThrownBy(() -> new EventTypePattern(" ")).hasMessageContaining("must not be blank");
    }
}
