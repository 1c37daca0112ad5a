package outbox.idempotency;

import java.util.Objects;
import outbox.domain.TransactionRunner;
import outbox.domain.TxMode;
import outbox.domain.handler.EventConsumptionTracker;

/**
 * Does the work of a message once, however often a broker delivers it. Thread-safe.
 *
 * <pre>{@code
 * boolean first = inbox.once(message.id(), "invoice", () -> invoices.create(message));
 * message.acknowledge();
 * }</pre>
 *
 * <p>What the work throws reaches the caller, who does not acknowledge then; the message counts as not consumed.
 */
@FunctionalInterface
public interface Inbox {
    /** Longest id of a message and longest name of a handler. */
    int MAX_LENGTH = 128;

    /** What a message asks for. */
    @FunctionalInterface
    interface Work {
        void run() throws Exception;
    }

    /**
     * @param messageId what tells this message from others, the same in every delivery
     * @param handlerName who consumes it; several may, each once
     * @return {@code false} if it was consumed before and nothing was done now
     * @throws IllegalArgumentException if the id or the name is blank or too long; nothing is done then
     */
    boolean once(String messageId, String handlerName, Work work) throws Exception;

    /**
     * An inbox whose work runs in a transaction that also records the consumption: its database effect happens exactly
     * once. It joins the transaction the thread is in. A second delivery at the same time waits for the first.
     */
    static Inbox transactional(EventConsumptionTracker tracker, TransactionRunner transactions) {
        Objects.requireNonNull(tracker, "tracker");
        Objects.requireNonNull(transactions, "transactions");
        if (!tracker.isTransactional()) {
            throw new IllegalArgumentException(
                    tracker.getClass().getName() + " cannot take part in a transaction: use one on JDBC");
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

    /** @throws IllegalArgumentException if the value cannot be a key */
    static String requireKey(String what, String value) {
        if (value.isBlank() || value.length() > MAX_LENGTH || !value.equals(value.strip())) {
            throw new IllegalArgumentException(what + " has " + value.length() + " characters; it needs 1 to "
                    + MAX_LENGTH + ", without blanks around: '"
                    + value.substring(0, Math.min(40, value.length())) + "'");
        }
        return value;
    }
}
