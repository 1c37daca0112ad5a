package outbox.purge;

import java.time.Duration;

/** How long terminal rows stay. */
final class Retention {
    /** Some 1900 years. Further back there are times no database knows, and then no times at all. */
    private static final Duration LONGEST = Duration.ofDays(700_000);

    private Retention() {}

    /** One that never ends is cut to a length that can be counted back from today. */
    static Duration bounded(Duration retention) {
        return retention.compareTo(LONGEST) > 0 ? LONGEST : retention;
    }
}
