package outbox.dispatch;

/** What becomes of a row that was delivered. */
public enum CompletionMode {
    /** It stays with status DONE until it is purged. */
    MARK,
    /** It is deleted: half the writes, and a table that stays small. */
    DELETE
}
