package outbox.inbox;

import java.util.List;
import outbox.jdbc.OutboxStoreException;

/**
 * Takes messages from brokers and endpoints, each once per consumer group: {@link DurableInbox} stores them and has them
 * handled later, {@link InlineInbox} handles them at once. The consumers of this module work with both. Thread-safe.
 */
public interface Inbox {
    /** The consumer group. */
    String group();

    /**
     * Stores or handles a message. When this returns, the result is committed and the broker can be acknowledged.
     *
     * @throws InvalidMessageException if it has no id or cannot be stored, unless such messages become dead letters
     * @throws MessageFailedException if it was to be handled at once and its handler failed; do not acknowledge it
     * @throws OutboxStoreException if the database fails; do not acknowledge the message
     */
    Receipt receive(InboxMessage message);

    /**
     * The same for several messages, in their order.
     *
     * @return a receipt for each message, in the same order
     * @throws InvalidMessageException as for one message
     * @throws MessageFailedException as for one message. Those before it may be handled; acknowledge none, those that come
     *     again are duplicates
     * @throws OutboxStoreException if the database fails. Some messages may be stored; acknowledge none, those that come
     *     again are duplicates
     */
    List<Receipt> receiveAll(List<InboxMessage> messages);

    /** Whether invalid messages become dead letters. */
    boolean deadLettersInvalid();

    /**
     * Messages that wait to be handled, on all nodes, counted up to {@code atMost}. Consumers pause while there are too many.
     *
     * @throws OutboxStoreException if the database fails
     */
    int pending(int atMost);

    /** How many messages this node received, and how many of them were duplicates. */
    InboxCounts counts();
}
