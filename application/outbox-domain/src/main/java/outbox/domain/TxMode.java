package outbox.domain;

/** Which transaction some work runs in. */
public enum TxMode {
    /** The one the thread is in; a new one if there is none. */
    REQUIRED,
    /** A new one, whatever the thread is in: it commits or rolls back on its own. */
    REQUIRES_NEW
}
