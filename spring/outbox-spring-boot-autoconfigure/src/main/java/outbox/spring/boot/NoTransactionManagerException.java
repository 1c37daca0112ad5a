package outbox.spring.boot;

import java.util.Set;

/** Events are written in transactions, and nobody begins any. */
final class NoTransactionManagerException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final Set<String> candidates;

    /**
     * @param candidates names of managers among which none can be told to be the one; empty if there are none
     * @param all those of other data sources included
     */
    NoTransactionManagerException(Set<String> candidates, Set<String> all) {
        super(message(candidates, all));
        this.candidates = Set.copyOf(candidates);
    }

    private static String message(Set<String> candidates, Set<String> all) {
        if (all.isEmpty()) {
            return "there is no transaction manager, and events are written in transactions";
        }
        return candidates.isEmpty()
                ? "there is no transaction manager for the data source of the outbox; there are those of others: " + all
                : "several transaction managers could be that of the outbox: " + candidates;
    }

    Set<String> candidates() {
        return candidates;
    }
}
