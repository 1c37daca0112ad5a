package outbox.jdbc.purge;

/**
 * The rows a purge deletes, in three parts. Each is a range of an index that the schema files create, read from its old
 * end, so that a batch costs the same whether a thousand rows wait or a million. One condition for all of them, with
 * {@code COALESCE}, could use none.
 */
final class TerminalRows {
    /** Delivered rows; nearly all. */
    static final String DONE = "status = 1 AND done_at < ?";

    /** Given up rows, which have no {@code done_at} unless somebody else wrote it. */
    static final String DEAD = "status = 3 AND COALESCE(done_at, created_at) < ?";

    /** Rows that somebody else marked DONE and forgot the time of. */
    static final String DONE_WITHOUT_TIME = "status = 1 AND done_at IS NULL AND created_at < ?";

    private TerminalRows() {}
}
