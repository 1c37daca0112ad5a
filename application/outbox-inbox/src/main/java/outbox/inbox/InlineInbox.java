package outbox.inbox;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.dispatch.UnroutableEventException;
import outbox.domain.TransactionRunner;
import outbox.domain.TxMode;
import outbox.domain.handler.HandlersFailedException;
import outbox.jdbc.OutboxStoreException;
import outbox.listener.ControlledListener;
import outbox.registry.ListenerRegistry;
import outbox.spi.EventPurger;
import outbox.spi.TxContext;

/**
 * Handles a message on the thread of its consumer, in one transaction with the record that it was handled: one more INSERT
 * for each message. A second delivery is answered at once; one that comes at the same time waits for the first. Thread-safe.
 *
 * <pre>{@code
 * InlineInbox inbox = InlineInbox.builder(dataSource)
 *     .group("billing")
 *     .transactions(txContext, transactions)
 *     .build();
 * boolean first = inbox.once(messageId, () -> invoices.create(order));
 * }</pre>
 *
 * <p>It shares table and ids with a {@link DurableInbox} of the same group.
 */
public final class InlineInbox implements Inbox {
    /** The type of rows of messages of which only the id is known. */
    public static final String UNTYPED = "inbox.message";

    private final MessageRows rows;
    private final HandledRows table;
    private final EventPurger purger;
    private final TxContext txContext;
    private final TransactionRunner transactions;
    private final @Nullable ListenerRegistry handlers;
    private final @Nullable DurableInbox failures;
    private final boolean deadLettersInvalid;
    private final Counters counters = new Counters();

    InlineInbox(
            MessageRows rows,
            HandledRows table,
            EventPurger purger,
            TxContext txContext,
            TransactionRunner transactions,
            @Nullable ListenerRegistry handlers,
            @Nullable DurableInbox failures,
            boolean deadLettersInvalid) {
        this.rows = rows;
        this.table = table;
        this.purger = purger;
        this.txContext = txContext;
        this.transactions = transactions;
        this.handlers = handlers;
        this.failures = failures;
        this.deadLettersInvalid = deadLettersInvalid;
    }

    /** The work of a message. */
    @FunctionalInterface
    public interface Work {
        void run() throws Exception;
    }

    /** @param dataSource the database with the table; opens a connection to detect which one it is */
    public static InlineInboxBuilder builder(DataSource dataSource) {
        return new InlineInboxBuilder(dataSource);
    }

    /**
     * Runs the work unless the message was handled before, in a transaction that also records the message: the caller's if
     * there is one. Exceptions of the work are thrown and nothing is recorded; do not acknowledge the message then.
     *
     * @param messageId the same in every delivery, and different for each message of the group
     * @return {@code false} if it was handled before and nothing was done now
     * @throws InvalidMessageException if the id is blank
     */
    public boolean once(String messageId, Work work) throws Exception {
        return once(InboxMessage.builder(UNTYPED).id(messageId).build(), work);
    }

    /**
     * The same; type, key, source and position of the message are recorded for operators.
     *
     * @throws InvalidMessageException if the message has no id, or something that the table cannot store
     */
    public boolean once(InboxMessage message, Work work) throws Exception {
        Objects.requireNonNull(work, "work");
        EventEnvelope row = rows.rowOf(message);
        boolean first = inTransaction(row, work);
        counters.count(first ? Receipt.HANDLED : Receipt.DUPLICATE);
        return first;
    }

    private boolean inTransaction(EventEnvelope row, Work work) throws Exception {
        EventEnvelope key = MessageRows.keyOf(row);
        return transactions.run(TxMode.REQUIRED, () -> {
            if (!table.insertHandled(txContext.currentConnection(), key)) {
                return false;
            }
            work.run();
            return true;
        });
    }

    /**
     * Handles the message.
     *
     * @throws IllegalStateException if this was built without {@code handlers(...)}
     */
    @Override
    public Receipt receive(InboxMessage message) {
        return counters.count(handle(message));
    }

    /** Each message in a transaction of its own. */
    @Override
    public List<Receipt> receiveAll(List<InboxMessage> messages) {
        List<Receipt> receipts = new ArrayList<>(messages.size());
        for (InboxMessage message : messages) {
            receipts.add(receive(message));
        }
        return receipts;
    }

    private Receipt handle(InboxMessage message) {
        EventEnvelope row;
        try {
            row = rows.rowOf(message);
        } catch (InvalidMessageException e) {
            if (!deadLettersInvalid) {
                throw e;
            }
            return bury(message, e);
        }
        EventListener listener = requireHandlers().listenerFor(row);
        boolean joined = txContext.isTransactionActive();
        AtomicBoolean recorded = new AtomicBoolean(); // the work may fail with an exception of the same type
        try {
            if (listener == null) {
                throw new UnroutableEventException("no handler for messages of type '" + row.eventType() + "'");
            }
            Work work = () -> {
                recorded.set(true);
                listener.onEvent(row);
            };
            return inTransaction(row, work) ? Receipt.HANDLED : Receipt.DUPLICATE;
        } catch (Exception e) {
            if (e instanceof OutboxStoreException ofTheRecord && !recorded.get()) {
                throw ofTheRecord;
            }
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            return joined ? fail(message, e) : failed(message, listener, e);
        }
    }

    private ListenerRegistry requireHandlers() {
        if (handlers == null) {
            throw new IllegalStateException("this inbox was built without handlers(...); use once(message, work)");
        }
        return handlers;
    }

    private Receipt failed(InboxMessage message, @Nullable EventListener listener, Exception failure) {
        if (failures != null && !Thread.currentThread().isInterrupted()) {
            try {
                return failures.receive(message);
            } catch (InvalidMessageException e) {
                if (!deadLettersInvalid) {
                    throw e;
                }
                return bury(message, e);
            }
        }
        return deadLettersInvalid && isFinal(listener, failure) ? bury(message, failure) : fail(message, failure);
    }

    private static Receipt fail(InboxMessage message, Exception failure) {
        throw new MessageFailedException(
                message + " failed and was rolled back; it is handled when it is delivered again: " + failure, failure);
    }

    /** It would fail in every delivery. */
    private static boolean isFinal(@Nullable EventListener listener, Exception failure) {
        return failure instanceof UnroutableEventException
                || failure instanceof HandlersFailedException
                || (listener instanceof ControlledListener controlled && controlled.isDeadAtOnce(failure));
    }

    private Receipt bury(InboxMessage message, Exception cause) {
        EventEnvelope row = rows.deadRowOf(message);
        try {
            return transactions.run(TxMode.REQUIRED, () -> table.insertDead(txContext.currentConnection(), row, cause))
                    ? Receipt.DEAD
                    : Receipt.DUPLICATE;
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new OutboxStoreException("cannot store a dead letter; do not acknowledge it", e);
        }
    }

    @Override
    public String group() {
        return rows.group();
    }

    @Override
    public boolean deadLettersInvalid() {
        return deadLettersInvalid;
    }

    /** None without {@code failuresTo(...)}: messages are handled when they come. */
    @Override
    public int pending(int atMost) {
        return failures == null ? 0 : failures.pending(atMost);
    }

    @Override
    public InboxCounts counts() {
        return counters.counts();
    }

    /** The key of a message's row, whether it was received or not: {@code event_id}. */
    public String eventIdOf(String messageId) {
        return rows.eventId(Objects.requireNonNull(messageId, "messageId"));
    }

    /** Deletes rows of handled messages, for an {@code OutboxPurgeScheduler}; a {@link DurableInbox} on the table does it too. */
    public EventPurger purger() {
        return purger;
    }
}
