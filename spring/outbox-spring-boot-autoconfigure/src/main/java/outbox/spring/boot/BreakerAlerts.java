package outbox.spring.boot;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Alerts about open circuit breakers. */
interface BreakerAlerts {
    /** @param outbox {@code null} if there is only one */
    BreakerAlert alertFor(@Nullable String outbox);

    /** The alerts of one outbox. It remembers what it reported. */
    interface BreakerAlert {
        /**
         * Called at every look.
         *
         * @param open handlers and routes whose circuit breaker is open on this node
         * @param elected those of them that this node reports
         */
        void look(Set<String> open, Set<String> elected);
    }
}
