package outbox.model;

/** Who held a row when it was claimed. The order is that of the codes the stores of {@code outbox-jdbc} read. */
public enum FormerLease {
    /** Nobody: it is new, or its last owner settled or released it. */
    NONE,
    /** The claiming owner itself, whose lease had run out: no outcome of it has been written. */
    OWN,
    /** Somebody else, whose lease had run out. That process probably died. */
    OTHER
}
