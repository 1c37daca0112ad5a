package outbox.idempotency;

import java.util.Objects;
import outbox.domain.TransactionRunner;
import outbox.domain.TxMode;
import outbox.domain.handler.EventConsumptionTracker;

/**
 * Processes a message once, however often a broker delivers it. Thread-safe.
 *
 * <pre>{@code
 * boolean first = inbox.once(message.id(), "invoice", () -> invoices.create(message));
 * message.acknowledge();
 * }</pre>
 *
 * <p>Exceptions of the work are propagated and the message counts as not processed; do not acknowledge it then.
 */
@FunctionalInterface
public interface Inbox {
    /** Maximum length of message ids and handler names. */
    int MAX_LENGTH = 128;

    /** The processing of a message. */
    @FunctionalInterface
    interface Work {
        void run() throws Exception;
    }

    /**
     * @param messageId unique id of the message, the same in every delivery
     * @param handlerName name of the consumer; each consumer processes the message once
     * @return {@code false} if it was processed before and nothing was done now
     * @throws IllegalArgumentException if the id or the name is blank or too long; nothing is done then
     */
    boolean once(String messageId, String handlerName, Work work) throws Exception;

    /**
     * An inbox whose work runs in a transaction that also records the message: its database changes happen exactly
     * once. It joins an existing transaction. A concurrent second delivery waits for the first.
     */
    static Inbox transactional(EventConsumptionTracker tracker, TransactionRunner transactions) {
        Objects.requireNonNull(tracker, "tracker");
        Objects.requireNonNull(transactions, "transactions");
        if (!tracker.isTransactional()) {
            throw new IllegalArgumentException(
                    tracker.getClass().getName() + " is not transactional: use a JDBC tracker");
        }
        return (messageId, handlerName, work) -> {
            requireKey("messageId", messageId);
            requireKey("handlerName", handlerName);
            return transactions.run(TxMode.REQUIRED, () -> {
                if (!tracker.consume(messageId, handlerName)) {
                    return false;
                }
                work.run();
                return true;
            });
        };
    }

    /** @throws IllegalArgumentException if the value is not a valid key */
    static String requireKey(String what, String value) {
        if (value.isBlank() || value.length() > MAX_LENGTH || !value.equals(value.strip())) {
            throw new IllegalArgumentException(what + " has " + value.length() + " characters; it needs 1 to "
                    + MAX_LENGTH + ", without blanks around: '"
                    + value.substring(0, Math.min(40, value.length())) + "'");
        }
        return value;
    }
}
