package outbox.inbox;

/** What became of a received message. After each of them the broker may be acknowledged. */
public enum Receipt {
    /** It is in the table and will be handled. */
    RECEIVED,
    /** It was handled, and the changes of its handler are committed; only of an {@link InlineInbox}. */
    HANDLED,
    /** It was in the table already; nothing was done. */
    DUPLICATE,
    /** It cannot be handled and is a dead letter with its cause. */
    DEAD
}
