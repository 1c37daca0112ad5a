package outbox.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.ZonedDateTime;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class TimeTextTest {
    /** The clocks went back the night before. */
    private static final ZonedDateTime NOW = ZonedDateTime.parse("2026-10-26T15:30:00+01:00[Europe/Berlin]");

    @ParameterizedTest
    @CsvSource({
        "30s, 2026-10-26T14:29:30Z",
        "90m, 2026-10-26T13:00:00Z",
        "15min, 2026-10-26T14:15:00Z",
        "1h, 2026-10-26T13:30:00Z",
        "1 hour ago, 2026-10-26T13:30:00Z",
        "2D, 2026-10-24T14:30:00Z",
        "1w, 2026-10-19T14:30:00Z",
        "now, 2026-10-26T14:30:00Z",
        "today, 2026-10-25T23:00:00Z",
        "Yesterday, 2026-10-24T22:00:00Z",
        "2026-01-31, 2026-01-30T23:00:00Z",
        "2026-01-31T12:00, 2026-01-31T11:00:00Z",
        "2026-01-31T12:00:00Z, 2026-01-31T12:00:00Z",
        "2026-01-31T12:00:00+02:00, 2026-01-31T10:00:00Z",
        "PT1H, 2026-10-26T13:30:00Z"
    })
    void timesAreUnderstoodAsPeopleWriteThem(String text, String time) {
        assertThat(TimeText.parse(text, NOW)).hasToString(time);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "lately", "1", "h", "-1h", "1y", "2026-02-30", "99999999999h", "tomorrow"})
    void whatIsNotATimeIsRefusedWithExamples(String text) {
        assertThatThrownBy(() -> TimeText.parse(text, NOW))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("is not a time; write 1h, 30m, 2d, today, yesterday");
    }
}
