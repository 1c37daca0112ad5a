package outbox.inbox;

/** What became of a received message. After each of them the broker may be acknowledged. */
public enum Receipt {
    /** It is in the table and will be handled. */
    RECEIVED,
    /** It was in the table already; nothing was stored. */
    DUPLICATE,
    /** It cannot be handled and is a dead letter with its cause; see {@link DurableInboxBuilder#deadLetterInvalid()}. */
    DEAD
}
