package outbox.jdbc.store;

import java.time.Duration;

/** Durations as the databases count them. */
final class Micros {
    /** Some 270 years. H2 counts in nanoseconds on the way, and a long holds 292 years of those. */
    private static final Duration LONGEST = Duration.ofDays(100_000);

    private Micros() {}

    static long of(Duration duration) {
        Duration bounded = duration.compareTo(LONGEST) > 0 ? LONGEST : duration;
        return bounded.toSeconds() * 1_000_000 + bounded.toNanosPart() / 1_000;
    }
}
