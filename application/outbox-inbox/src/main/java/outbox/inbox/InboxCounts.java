package outbox.inbox;

/**
 * Messages since the inbox was built, on this node.
 *
 * @param received stored to be handled, or handled at once
 * @param duplicates in the table already
 * @param dead stored as dead letters when they came
 */
public record InboxCounts(long received, long duplicates, long dead) {}
