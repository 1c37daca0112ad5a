package outbox.spring.boot;

import java.util.Set;

/** Events are written in transactions, and nobody begins any. */
final class NoTransactionManagerException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final Set<String> candidates;

    /** @param candidates names of managers among which none can be told to be the one; empty if there are none */
    NoTransactionManagerException(Set<String> candidates) {
        super(
                candidates.isEmpty()
                        ? "there is no transaction manager, and events are written in transactions"
                        : "several transaction managers could be that of the outbox: " + candidates);
        this.candidates = Set.copyOf(candidates);
    }

    Set<String> candidates() {
        return candidates;
    }
}
