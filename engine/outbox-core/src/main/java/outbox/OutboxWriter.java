package outbox;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.model.Lease;
import outbox.spi.EventSeal;
import outbox.spi.LeasingOutboxStore;
import outbox.spi.OutboxStore;
import outbox.spi.Settlement;
import outbox.spi.TxContext;

/**
 * Writes events in the caller's transaction: they exist if and only if it commits. Thread-safe as far as the
 * {@link TxContext} is.
 *
 * <pre>{@code
 * try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
 *     orders.insert(tx.connection(), order);
 *     writer.write("OrderPlaced", "{\"id\":42}");
 *     tx.commit();
 * }
 * }</pre>
 */
public final class OutboxWriter {
    private static final Logger LOG = System.getLogger(OutboxWriter.class.getName());

    private final TxContext txContext;
    private final OutboxStore outboxStore;
    private final WriterHook writerHook;
    private final EventSeal seal;

    /** A writer without a hook: what it writes waits for a poller or for CDC. */
    public OutboxWriter(TxContext txContext, OutboxStore outboxStore) {
        this(txContext, outboxStore, WriterHook.NOOP);
    }

    public OutboxWriter(TxContext txContext, OutboxStore outboxStore, @Nullable WriterHook writerHook) {
        this(txContext, outboxStore, writerHook, EventSeal.NONE);
    }

    /** A writer whose events have another form in the table; the poller needs the same seal. */
    public OutboxWriter(TxContext txContext, OutboxStore outboxStore, @Nullable WriterHook writerHook, EventSeal seal) {
        this.txContext = Objects.requireNonNull(txContext, "txContext");
        this.outboxStore = Objects.requireNonNull(outboxStore, "outboxStore");
        this.writerHook = writerHook == null ? WriterHook.NOOP : writerHook;
        this.seal = Objects.requireNonNull(seal, "seal");
    }

    /** @return the event's id, or {@code null} if the hook suppressed the write */
    public @Nullable String write(EventEnvelope event) {
        Objects.requireNonNull(event, "event");
        List<String> ids = writeAll(List.of(event));
        return ids.isEmpty() ? null : ids.get(0);
    }

    /** @return the event's id, or {@code null} if the hook suppressed the write */
    public @Nullable String write(String eventType, String payloadJson) {
        return write(EventEnvelope.ofJson(eventType, payloadJson));
    }

    /** @return the event's id, or {@code null} if the hook suppressed the write */
    public @Nullable String write(EventType eventType, String payloadJson) {
        return write(EventEnvelope.ofJson(eventType, payloadJson));
    }

    /**
     * Inserts all events with as few statements as the store can, and registers one callback for the whole batch.
     *
     * @return the ids in the order they were written; empty if the hook suppressed the write
     * @throws NoActiveTransactionException if no transaction is active; nothing is written then
     */
    public List<String> writeAll(List<EventEnvelope> events) {
        Objects.requireNonNull(events, "events");
        if (!txContext.isTransactionActive()) {
            throw noTransaction();
        }
        if (events.isEmpty()) {
            return List.of();
        }
        List<EventEnvelope> accepted = writerHook.beforeWrite(List.copyOf(events));
        if (accepted == null || accepted.isEmpty()) {
            return List.of();
        }
        Written written = insert(List.copyOf(accepted));
        written.afterWrite();
        if (written.lease != null) {
            txContext.beforeCommit(written::releaseIfLate);
        }
        txContext.afterCommit(written::afterCommit);
        txContext.afterRollback(written::afterRollback);
        return written.events.stream().map(EventEnvelope::eventId).toList();
    }

    private Written insert(List<EventEnvelope> events) {
        List<EventEnvelope> stored = seal == EventSeal.NONE
                ? events
                : events.stream().map(seal::seal).toList();
        if (outboxStore instanceof LeasingOutboxStore leasing && writerHook instanceof LeasedWriterHook leased) {
            Lease lease = leased.lease();
            if (lease != null) {
                List<EventEnvelope> delivered = delivered(events, stored);
                leasing.insertLeased(txContext.currentConnection(), stored, lease.owner());
                return new Written(events, delivered, leased, lease);
            }
        }
        List<EventEnvelope> delivered = delivered(events, stored);
        outboxStore.insertBatch(txContext.currentConnection(), stored);
        return new Written(events, delivered, null, null);
    }

    private List<EventEnvelope> delivered(List<EventEnvelope> written, List<EventEnvelope> stored) {
        if (seal == EventSeal.NONE) {
            return written;
        }
        List<EventEnvelope> delivered = new ArrayList<>(written.size());
        for (int i = 0; i < written.size(); i++) {
            delivered.add(seal.delivered(written.get(i), stored.get(i)));
        }
        return List.copyOf(delivered);
    }

    /**
     * A batch whose rows are inserted, until the end of its transaction. What the hook throws ends here: nobody may take a
     * committed transaction for a failed one.
     */
    private final class Written {
        private final List<EventEnvelope> events;
        private final List<EventEnvelope> delivered;
        private final @Nullable LeasedWriterHook leased;
        private final @Nullable Lease lease;
        private boolean released;

        /**
         * @param delivered as they are delivered after the commit
         * @param leased not null if the rows have a lease from their insert on
         */
        Written(
                List<EventEnvelope> events,
                List<EventEnvelope> delivered,
                @Nullable LeasedWriterHook leased,
                @Nullable Lease lease) {
            this.events = events;
            this.delivered = delivered;
            this.leased = leased;
            this.lease = lease;
        }

        void afterWrite() {
            try {
                writerHook.afterWrite(events);
            } catch (Throwable e) {
                failed("afterWrite", e);
            }
        }

        /**
         * A lease runs out while its transaction takes its time; committed like that, the rows would look like those of a
         * dead process.
         */
        void releaseIfLate() {
            if (leased == null || lease == null || leased.isInTime(lease)) {
                return;
            }
            List<Settlement> releases = new ArrayList<>(events.size());
            for (EventEnvelope event : events) {
                if (!event.isDelayed()) {
                    releases.add(new Settlement.Release(event.eventId(), 0));
                }
            }
            ((LeasingOutboxStore) outboxStore).settle(txContext.currentConnection(), lease.owner(), releases);
            released = true;
        }

        void afterCommit() {
            try {
                if (leased == null || lease == null) {
                    writerHook.afterCommit(delivered);
                } else if (released) {
                    leased.afterRelease(delivered);
                } else {
                    leased.afterCommit(justWritten(leased, lease), lease);
                }
            } catch (Throwable e) {
                failed("afterCommit", e);
            }
        }

        void afterRollback() {
            try {
                writerHook.afterRollback(events);
            } catch (Throwable e) {
                failed("afterRollback", e);
            }
        }

        private List<EventEnvelope> justWritten(LeasedWriterHook hook, Lease lease) {
            List<EventEnvelope> marked = new ArrayList<>(delivered.size());
            delivered.forEach(event -> marked.add(event.justWritten(new FirstDelivery(hook, lease))));
            return marked;
        }

        private void failed(String step, Throwable failure) {
            LOG.log(
                    Level.WARNING,
                    () -> "WriterHook." + step + " failed for " + events.size() + " event(s), first "
                            + events.get(0).eventId()
                            + "; the transaction is not affected, the rows are delivered from the table",
                    failure);
        }
    }

    /** The context knows best why: no transaction at all, one of another data source, one that is over. */
    private NoActiveTransactionException noTransaction() {
        String what = "no active transaction: an event must be written in the transaction of the change it tells of; ";
        try {
            txContext.currentConnection();
        } catch (IllegalStateException e) {
            return new NoActiveTransactionException(what + e.getMessage());
        }
        return new NoActiveTransactionException(what + "begin one around write()");
    }
}
