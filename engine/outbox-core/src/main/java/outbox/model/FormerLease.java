package outbox.model;

/**
 * Who held a row when it was claimed. The order of the first three is that of the codes the stores of {@code outbox-jdbc}
 * read.
 */
public enum FormerLease {
    /** Nobody: it is new, or its last owner settled or released it. */
    NONE,
    /** The claiming owner itself, whose lease had run out: no outcome of it has been written. */
    OWN,
    /** Somebody else, whose lease had run out. That process probably died. */
    OTHER,
    /**
     * The claiming owner itself, which had taken it over as {@link #OTHER}: the death of that process is not yet counted.
     * Stores never return it; the poller remembers it.
     */
    OWN_AFTER_OTHER;

    /** Whether its process probably died while it held the row, and nobody knows whether its listener was called. */
    public boolean isSuspect() {
        return this == OTHER || this == OWN_AFTER_OTHER;
    }

    /** Whether the claiming owner itself held the row last. */
    public boolean isOwn() {
        return this == OWN || this == OWN_AFTER_OTHER;
    }
}
