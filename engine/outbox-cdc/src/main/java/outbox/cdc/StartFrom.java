package outbox.cdc;

/** What a relay delivers at its very first start, before it has a place in the log. */
public enum StartFrom {
    /**
     * The rows of the table that are NEW or RETRY, then the log, without a gap between them. Also if the place in the log
     * was lost, because the slot was dropped or the binlog purged: then everything that nobody marked comes again.
     */
    PENDING_ROWS,
    /** What is committed from then on. A lost place in the log is an error. */
    NOW
}
