package outbox.spi;

/**
 * Called for each event that became a dead letter, so that the application can compensate: cancel the order, tell the
 * customer, write a ticket.
 *
 * <p>Called at least once, after the row is DEAD, on a thread of its own and on one node at a time. If it throws, or the
 * process dies before it returned, it is called again after the lease time. A listener that needs longer than that may be
 * called twice at the same time, on two nodes. Deduplicate by {@link outbox.EventEnvelope#eventId()}. An event that is
 * replayed and dies again is announced again.
 *
 * <p>Set it on all nodes of a table: only nodes that have one announce the events that die there.
 */
@FunctionalInterface
public interface DeadLetterListener {
    void onDeadLetter(DeadLetter letter) throws Exception;
}
