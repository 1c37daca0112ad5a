package outbox.inbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.NoActiveTransactionException;
import outbox.Outbox;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.spi.ConnectionProvider;
import outbox.spi.TxContext;
import outbox.util.StoredError;

/**
 * Stores received messages, each once, and has them handled by the engine of the outbox. When {@link #receive} returns,
 * the message is committed and the broker can be acknowledged. Thread-safe.
 *
 * <pre>{@code
 * DurableInbox inbox = DurableInbox.builder(dataSource)
 *     .group("billing")
 *     .handlers(handlers)
 *     .build()
 *     .start();
 * inbox.receive(InboxMessage.builder("order.placed").id(id).payload(json).build());
 * }</pre>
 *
 * <p>A message is known by consumer group and message id for as long as its row exists.
 */
public final class DurableInbox implements Inbox, AutoCloseable {
    /** The table, with the columns of the event table. */
    public static final String DEFAULT_TABLE = "inbox_event";

    private final AbstractJdbcOutboxStore store;
    private final ConnectionProvider connections;
    private final Outbox outbox;
    private final MessageRows rows;
    private final boolean deadLettersInvalid;
    private final ReceiveTransaction own;
    private final @Nullable TxContext callers;
    private final Counters counters = new Counters();

    DurableInbox(
            AbstractJdbcOutboxStore store,
            ConnectionProvider connections,
            Outbox outbox,
            MessageRows rows,
            boolean deadLettersInvalid,
            JdbcTransactionManager transactions,
            @Nullable TxContext callers) {
        this.store = store;
        this.connections = connections;
        this.outbox = outbox;
        this.rows = rows;
        this.deadLettersInvalid = deadLettersInvalid;
        this.own = new ReceiveTransaction.Own(transactions);
        this.callers = callers;
    }

    /** @param dataSource the database with the table; opens a connection to detect which one it is */
    public static DurableInboxBuilder builder(DataSource dataSource) {
        return new DurableInboxBuilder(dataSource);
    }

    /**
     * Checks the table and starts to handle messages.
     *
     * @return this
     * @throws IllegalStateException if the table is missing or lacks a column, or this was closed
     */
    public DurableInbox start() {
        outbox.start();
        return this;
    }

    /**
     * Stores a message in a transaction of its own, which is committed when this returns.
     *
     * @throws InvalidMessageException if it has no id or cannot be stored, unless such messages become dead letters
     * @throws OutboxStoreException if the database fails; do not acknowledge the message
     */
    @Override
    public Receipt receive(InboxMessage message) {
        return receiveAll(List.of(message)).get(0);
    }

    /**
     * The same for several messages, which are stored with one statement, in their order.
     *
     * @return a receipt for each message, in the same order
     * @throws InvalidMessageException as for one message; nothing is stored then
     * @throws OutboxStoreException if the database fails. Some messages may be stored; acknowledge none, those that come
     *     again are duplicates
     */
    @Override
    public List<Receipt> receiveAll(List<InboxMessage> messages) {
        return store(messages, own);
    }

    /**
     * Stores a message in the caller's transaction: it is received if and only if that commits.
     *
     * @throws NoActiveTransactionException if there is no transaction
     * @throws IllegalStateException if this was built without {@code transactions(...)}
     */
    public Receipt receiveInTransaction(InboxMessage message) {
        if (callers == null) {
            throw new IllegalStateException(
                    "this inbox was built without transactions(...), so it cannot join one; use receive(...)");
        }
        if (!callers.isTransactionActive()) {
            throw new NoActiveTransactionException(
                    "no active transaction: begin one around receiveInTransaction(), or use receive()");
        }
        return store(List.of(message), new ReceiveTransaction.Joined(callers)).get(0);
    }

    private List<Receipt> store(List<InboxMessage> messages, ReceiveTransaction transaction) {
        Batch batch = new Batch(transaction, new LinkedHashMap<>(), new LinkedHashMap<>(), new LinkedHashMap<>());
        List<String> ids = new ArrayList<>(messages.size());
        for (InboxMessage message : messages) {
            ids.add(add(message, batch));
        }
        Set<String> stored = insert(batch);
        Set<String> buried = bury(batch.invalid, transaction);
        return receipts(ids, stored, buried);
    }

    /** The messages of one call; those with a valid row by its id. */
    private record Batch(
            ReceiveTransaction transaction,
            Map<String, InboxMessage> messages,
            Map<String, EventEnvelope> valid,
            Map<EventEnvelope, InvalidMessageException> invalid) {}

    /** @return the id of its row */
    private String add(InboxMessage message, Batch batch) {
        EventEnvelope row;
        try {
            row = rows.rowOf(message);
        } catch (InvalidMessageException e) {
            return invalid(message, e, batch);
        }
        if (batch.valid.putIfAbsent(row.eventId(), row) == null) {
            batch.messages.put(row.eventId(), message);
        }
        return row.eventId();
    }

    private String invalid(InboxMessage message, InvalidMessageException cause, Batch batch) {
        if (!deadLettersInvalid) {
            throw cause;
        }
        EventEnvelope row = rows.deadRowOf(message);
        batch.invalid.putIfAbsent(row, cause);
        return row.eventId();
    }

    private List<Receipt> receipts(List<String> ids, Set<String> stored, Set<String> buried) {
        List<Receipt> receipts = new ArrayList<>(ids.size());
        for (String id : ids) { // of two equal messages in a batch the second is a duplicate
            receipts.add(stored.remove(id) ? Receipt.RECEIVED : buried.remove(id) ? Receipt.DEAD : Receipt.DUPLICATE);
        }
        receipts.forEach(counters::count);
        return receipts;
    }

    /** One statement if all are new. Otherwise what is there is left out; what appears meanwhile is found one by one. */
    private Set<String> insert(Batch batch) {
        List<EventEnvelope> events = List.copyOf(batch.valid.values());
        if (events.isEmpty() || write(events, batch)) {
            return idsOf(events);
        }
        if (events.size() == 1) {
            return new HashSet<>();
        }
        Set<String> known = known(idsOf(events));
        List<EventEnvelope> rest = events.stream()
                .filter(event -> !known.contains(event.eventId()))
                .toList();
        if (rest.isEmpty() || (!known.isEmpty() && write(rest, batch))) {
            return idsOf(rest);
        }
        Set<String> stored = new HashSet<>();
        for (EventEnvelope event : rest) {
            if (write(List.of(event), batch)) {
                stored.add(event.eventId());
            }
        }
        return stored;
    }

    /**
     * A seal may refuse a message that is too large when it is sealed, for instance; it would do so in every delivery.
     *
     * @return {@code false} if nothing was stored, because a row is there already or one was refused
     */
    private boolean write(List<EventEnvelope> events, Batch batch) {
        try {
            return batch.transaction.insert(connection -> outbox.writer().writeAll(events));
        } catch (IllegalArgumentException refused) {
            if (events.size() == 1) {
                InboxMessage message =
                        Objects.requireNonNull(batch.messages.get(events.get(0).eventId()));
                String unused = invalid(message, MessageRows.notStorable(message, refused), batch);
                return false;
            }
            return !deadLettersInvalid && writeEach(events, batch);
        }
    }

    /** In one transaction, so that nothing is stored if one is refused. */
    private boolean writeEach(List<EventEnvelope> events, Batch batch) {
        return batch.transaction.insert(connection -> {
            for (EventEnvelope event : events) {
                try {
                    outbox.writer().writeAll(List.of(event));
                } catch (IllegalArgumentException refused) {
                    throw MessageRows.notStorable(Objects.requireNonNull(batch.messages.get(event.eventId())), refused);
                }
            }
        });
    }

    private Set<String> bury(Map<EventEnvelope, InvalidMessageException> invalid, ReceiveTransaction transaction) {
        Set<String> stored = new HashSet<>();
        invalid.forEach((row, cause) -> {
            boolean inserted = transaction.insert(connection -> {
                store.insertNew(connection, row);
                store.markDead(connection, row.eventId(), StoredError.of(cause));
            });
            if (inserted) {
                stored.add(row.eventId());
            }
        });
        return stored;
    }

    private Set<String> known(Collection<String> ids) {
        try (Connection connection = connections.getConnection()) {
            return store.lookup().existing(connection, ids);
        } catch (SQLException e) {
            throw new OutboxStoreException("cannot look up received messages; do not acknowledge them", e);
        }
    }

    private static Set<String> idsOf(List<EventEnvelope> events) {
        Set<String> ids = new HashSet<>();
        events.forEach(event -> ids.add(event.eventId()));
        return ids;
    }

    @Override
    public String group() {
        return rows.group();
    }

    AbstractJdbcOutboxStore store() {
        return store;
    }

    /** The key of a message's row, whether it was received or not: {@code event_id}. */
    public String eventIdOf(String messageId) {
        return rows.eventId(Objects.requireNonNull(messageId, "messageId"));
    }

    /** Whether invalid messages become dead letters; see {@link DurableInboxBuilder#deadLetterInvalid()}. */
    @Override
    public boolean deadLettersInvalid() {
        return deadLettersInvalid;
    }

    @Override
    public InboxCounts counts() {
        return counters.counts();
    }

    /**
     * Rows that wait to be handled, on all nodes, counted up to {@code atMost}.
     *
     * @throws OutboxStoreException if the database fails
     */
    @Override
    public int pending(int atMost) {
        try (Connection connection = connections.getConnection()) {
            return store.countPending(connection, atMost).orElse(0);
        } catch (SQLException e) {
            throw new OutboxStoreException("cannot count the messages that wait", e);
        }
    }

    /** The engine: dead letters, relay, and what the doctor and the control center look at. */
    public Outbox outbox() {
        return outbox;
    }

    /** Stops handling, gives what is not handled back to the table. Messages can still be received. */
    public void stop() {
        outbox.stop();
    }

    /** Stops for good. */
    @Override
    public void close() {
        outbox.close();
    }
}
