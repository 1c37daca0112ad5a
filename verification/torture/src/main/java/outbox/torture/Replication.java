package outbox.torture;

/** Whether the database of a case has a standby, and whether a commit waits for it. */
public enum Replication {
    /** One server. */
    NONE,
    /** A commit returns before the standby has it: a failover loses the last ones. */
    ASYNCHRONOUS,
    /** A commit returns, and becomes visible to others, only when the standby has it. */
    SYNCHRONOUS
}
