package outbox.cdc;

/** What a relay delivers at its first start, when no offset is stored. */
public enum StartFrom {
    /**
     * The pending rows of the table (NEW or RETRY), then the log, without a gap. Also used when the offset was lost
     * because the replication slot was dropped or the binlog purged: then all pending rows are delivered again.
     */
    PENDING_ROWS,
    /** Only events committed from then on. A lost offset is an error. */
    NOW
}
