package outbox.webhook;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The header {@code Retry-After}: a number of seconds, or a date as HTTP writes it. */
final class RetryAfter {
    /** Upper limit of the delay that a receiver can request. */
    static final Duration LONGEST = Duration.ofDays(1);

    private RetryAfter() {}

    /** @return how long to wait, at most {@link #LONGEST}; {@code null} if the value is invalid */
    static @Nullable Duration parse(@Nullable String value, Instant now) {
        if (value == null) {
            return null;
        }
        Duration wait = value.strip().matches("[0-9]+") ? seconds(value.strip()) : until(value.strip(), now);
        if (wait == null || wait.isNegative() || wait.isZero()) {
            return null;
        }
        return wait.compareTo(LONGEST) > 0 ? LONGEST : wait;
    }

    private static Duration seconds(String digits) {
        try {
            return Duration.ofSeconds(Integer.parseInt(digits));
        } catch (NumberFormatException e) {
            return LONGEST; // does not fit into an int
        }
    }

    private static @Nullable Duration until(String date, Instant now) {
        try {
            return Duration.between(now, httpDate(now).parse(date, Instant::from));
        } catch (DateTimeException e) {
            return null;
        }
    }

    /** The three date formats of RFC 9110; a two-digit year is at most fifty years ahead. */
    private static DateTimeFormatter httpDate(Instant now) {
        return new DateTimeFormatterBuilder()
                .appendOptional(DateTimeFormatter.RFC_1123_DATE_TIME)
                .optionalStart()
                .appendPattern("EEEE, dd-MMM-")
                .appendValueReduced(
                        ChronoField.YEAR, 2, 2, now.atOffset(ZoneOffset.UTC).getYear() - 49)
                .appendPattern(" HH:mm:ss 'GMT'")
                .optionalEnd()
                .appendPattern("[EEE MMM ppd HH:mm:ss uuuu]")
                .toFormatter(Locale.ENGLISH)
                .withZone(ZoneOffset.UTC);
    }
}
