package outbox.inbox;

/**
 * Messages since the inbox was built, on this node.
 *
 * @param received stored to be handled
 * @param duplicates in the table already
 * @param dead invalid, stored as dead letters
 */
public record InboxCounts(long received, long duplicates, long dead) {}
