package outbox.jdbc.store;

import java.time.Duration;

/** Durations as the databases count them. */
final class Micros {
    /** About 300 years: longer ones would leave the range of the databases' types. */
    private static final Duration LONGEST = Duration.ofDays(110_000);

    private Micros() {}

    static long of(Duration duration) {
        Duration bounded = duration.compareTo(LONGEST) > 0 ? LONGEST : duration;
        return bounded.toSeconds() * 1_000_000 + bounded.toNanosPart() / 1_000;
    }
}
