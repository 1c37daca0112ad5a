package outbox.listener;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How many events a listener gets in a time. In text {@code 100/s}, {@code 30/m} or {@code 1000/h}.
 *
 * @param per the time, at most a day
 * @param burst how many may come at once after a quiet time
 */
public record Rate(int events, Duration per, int burst) {
    private static final Map<String, Duration> UNITS =
            Map.of("s", Duration.ofSeconds(1), "m", Duration.ofMinutes(1), "h", Duration.ofHours(1));
    private static final Pattern TEXT = Pattern.compile("(\\d{1,9})\\s*/\\s*([smh])");

    public Rate {
        if (events < 1 || burst < 1) {
            throw new IllegalArgumentException(
                    "a rate needs at least one event and a burst of one: " + events + " events, burst " + burst);
        }
        if (per.isNegative() || per.isZero() || per.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException("the time of a rate must be positive and at most a day: " + per);
        }
    }

    /** So many events in a time, with a burst of what comes in a tenth of a second. */
    public static Rate of(int events, Duration per) {
        double inATenth = events * (100.0 / Math.max(1, per.toMillis()));
        return new Rate(events, per, (int) Math.max(1, Math.min(events, inATenth)));
    }

    /** @throws IllegalArgumentException if the text is not a rate */
    public static Rate parse(String text) {
        Matcher matcher = TEXT.matcher(text.strip());
        if (!matcher.matches()) {
            throw new IllegalArgumentException("'" + text + "' is not a rate; write 100/s, 30/m or 1000/h");
        }
        return of(Integer.parseInt(matcher.group(1)), Objects.requireNonNull(UNITS.get(matcher.group(2))));
    }

    /** The same with another burst. */
    public Rate withBurst(int events) {
        return new Rate(this.events, per, events);
    }

    long nanosPerEvent() {
        return Math.max(1, per.toNanos() / events);
    }
}
