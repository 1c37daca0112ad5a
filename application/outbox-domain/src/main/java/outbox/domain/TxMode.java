package outbox.domain;

/** The transaction that work runs in. */
public enum TxMode {
    /** Joins the current transaction, or starts a new one. */
    REQUIRED,
    /** Always starts a new transaction, which commits or rolls back independently. */
    REQUIRES_NEW
}
