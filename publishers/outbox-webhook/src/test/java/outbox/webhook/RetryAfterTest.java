package outbox.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class RetryAfterTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    @Test
    void secondsAndDatesAreUnderstood() {
        assertThat(RetryAfter.parse("120", NOW)).isEqualTo(Duration.ofMinutes(2));
        assertThat(RetryAfter.parse(" 1 ", NOW)).isEqualTo(Duration.ofSeconds(1));
        assertThat(RetryAfter.parse("Thu, 01 Jan 2026 00:01:30 GMT", NOW)).isEqualTo(Duration.ofSeconds(90));
    }

    @Test
    void theOldDatesOfHttpAreUnderstoodToo() {
        assertThat(RetryAfter.parse("Thursday, 01-Jan-26 00:01:30 GMT", NOW)).isEqualTo(Duration.ofSeconds(90));
        assertThat(RetryAfter.parse("Thu Jan  1 00:01:30 2026", NOW)).isEqualTo(Duration.ofSeconds(90));
        assertThat(RetryAfter.parse("Sun Jan 11 00:00:00 2026", NOW)).isEqualTo(RetryAfter.LONGEST);
        assertThat(RetryAfter.parse("Wednesday, 01-Jan-76 00:00:00 GMT", NOW)) // 2076, fifty years ahead
                .isEqualTo(RetryAfter.LONGEST);
        assertThat(RetryAfter.parse("Saturday, 01-Jan-77 00:00:00 GMT", NOW)) // 1977
                .isNull();
    }

    @Test
    void nobodyPutsAnEventOffForMoreThanADay() {
        assertThat(RetryAfter.parse("999999999", NOW)).isEqualTo(RetryAfter.LONGEST);
        assertThat(RetryAfter.parse("9999999999", NOW)).isEqualTo(RetryAfter.LONGEST);
        assertThat(RetryAfter.parse("99999999999999999999", NOW)).isEqualTo(RetryAfter.LONGEST);
        assertThat(RetryAfter.parse("Fri, 01 Jan 2100 00:00:00 GMT", NOW)).isEqualTo(RetryAfter.LONGEST);
    }

    @Test
    void whatSaysNothingUsefulIsIgnored() {
        for (String value : new String[] {
            null, "", "0", "-5", "soon", "1.5", "Thu Jan 32 00:00:00 2026", "Wed, 31 Dec 2025 23:59:59 GMT"
        }) {
            assertThat(RetryAfter.parse(value, NOW)).as("value %s", value).isNull();
        }
    }
}
