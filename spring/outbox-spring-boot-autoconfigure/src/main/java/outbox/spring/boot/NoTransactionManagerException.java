package outbox.spring.boot;

import java.util.Set;

/** There is no usable transaction manager, which is needed to write events. */
final class NoTransactionManagerException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final Set<String> candidates;

    private NoTransactionManagerException(String message, Set<String> candidates) {
        super(message);
        this.candidates = Set.copyOf(candidates);
    }

    static NoTransactionManagerException none() {
        return new NoTransactionManagerException(
                "there is no transaction manager, but events must be written in transactions", Set.of());
    }

    /** @param others names of the managers of other data sources, or of brokers */
    static NoTransactionManagerException onlyOthers(Set<String> others) {
        return new NoTransactionManagerException(
                "there is no transaction manager for the data source of the outbox; these are for other data sources or"
                        + " for message brokers: " + others,
                Set.of());
    }

    static NoTransactionManagerException several(Set<String> candidates) {
        return new NoTransactionManagerException(
                "several transaction managers match the data source of the outbox: " + candidates, candidates);
    }

    /** @param type of the manager that a property names */
    static NoTransactionManagerException notOfADatabase(String name, Class<?> type) {
        return new NoTransactionManagerException(
                "the transaction manager '" + name + "' that the outbox is to use is a " + type.getSimpleName()
                        + ", which does not manage a database",
                Set.of());
    }

    /** Names of possible managers, if the choice is ambiguous; empty if there are none. */
    Set<String> candidates() {
        return candidates;
    }
}
