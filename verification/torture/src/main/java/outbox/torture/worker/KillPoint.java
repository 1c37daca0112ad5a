package outbox.torture.worker;

/** A moment in the life of an event at which a thread can be held until its process is killed. */
public enum KillPoint {
    /** The listener has succeeded, its row is not marked. */
    AFTER_LISTENER,
    /** The mark is being written and not committed. */
    INSIDE_MARK,
    /** The business has committed, the engine does not know yet. */
    AFTER_COMMIT,
    /** Business row and event are inserted and not committed. */
    INSIDE_TRANSACTION
}
