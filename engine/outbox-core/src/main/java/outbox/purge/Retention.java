package outbox.purge;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How long terminal rows stay. */
final class Retention {
    /** Some 1900 years. Further back there are times no database knows, and then no times at all. */
    private static final Duration LONGEST = Duration.ofDays(700_000);

    private Retention() {}

    /** That of dead letters is longer than the other one, unless it is set. */
    static Duration ofDead(@Nullable Duration deadRetention, Duration retention) {
        if (deadRetention != null) {
            return deadRetention;
        }
        Duration usual = OutboxPurgeScheduler.DEFAULT_DEAD_RETENTION;
        return retention.compareTo(usual) > 0 ? retention : usual;
    }

    /** One that never ends is cut to a length that can be counted back from today. */
    static Duration bounded(Duration retention) {
        return retention.compareTo(LONGEST) > 0 ? LONGEST : retention;
    }
}
