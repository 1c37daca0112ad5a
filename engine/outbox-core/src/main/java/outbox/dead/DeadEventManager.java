package outbox.dead;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.model.OutboxEvent;
import outbox.registry.ListenerRegistry;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasingOutboxStore;
import outbox.spi.OutboxStore;
import outbox.spi.UnitOfWork;

/**
 * Looks at dead events and replays them, on connections of its own. Thread-safe.
 *
 * <p>Each method comes in two forms. The one with the plain name logs a database that fails and answers with an empty
 * result, which cannot be told from "there are none". The one with {@code OrFail} throws instead: use it where the answer
 * decides something.
 */
public final class DeadEventManager {
    private static final Logger LOG = System.getLogger(DeadEventManager.class.getName());

    private static final int FAILED = -1;

    private final ConnectionProvider connections;
    private final OutboxStore store;
    private final @Nullable ListenerRegistry listeners;

    public DeadEventManager(ConnectionProvider connectionProvider, OutboxStore outboxStore) {
        this(connectionProvider, outboxStore, null);
    }

    /** @param listeners told of every replay; {@code null} where another process delivers */
    public DeadEventManager(
            ConnectionProvider connectionProvider, OutboxStore outboxStore, @Nullable ListenerRegistry listeners) {
        this.connections = Objects.requireNonNull(connectionProvider, "connectionProvider");
        this.store = Objects.requireNonNull(outboxStore, "outboxStore");
        this.listeners = listeners;
    }

    /**
     * Dead events, oldest first.
     *
     * @param eventType {@code null} for all
     * @param aggregateType {@code null} for all
     * @return empty if the database fails
     */
    public List<OutboxEvent> query(@Nullable String eventType, @Nullable String aggregateType, int limit) {
        positive("limit", limit);
        return attempt("query dead events", List.of(), () -> queryOrFail(eventType, aggregateType, limit));
    }

    /** As {@link #query}. @throws SQLException if the database fails, or whatever else the store throws then */
    public List<OutboxEvent> queryOrFail(@Nullable String eventType, @Nullable String aggregateType, int limit)
            throws SQLException {
        positive("limit", limit);
        return UnitOfWork.run(connections, conn -> store.queryDead(conn, eventType, aggregateType, limit));
    }

    /** Sets one dead event back to NEW. @return whether it was dead and is NEW now; {@code false} if the database fails */
    public boolean replay(String eventId) {
        Objects.requireNonNull(eventId, "eventId");
        return attempt("replay event " + eventId, false, () -> replayOrFail(eventId));
    }

    /** As {@link #replay}. @throws SQLException if the database fails, or whatever else the store throws then */
    public boolean replayOrFail(String eventId) throws SQLException {
        Objects.requireNonNull(eventId, "eventId");
        return UnitOfWork.run(connections, conn -> replay(conn, eventId) > 0);
    }

    private int replay(Connection conn, String eventId) throws SQLException {
        int replayed = store.replayDead(conn, eventId);
        if (replayed > 0 && listeners != null) {
            listeners.onReplay(conn, eventId);
        }
        return replayed;
    }

    /**
     * Replays all matching events, batch by batch, each of them once: one that is dead again before this ends is not
     * replayed a second time.
     *
     * @return how many; if the database fails, those up to then
     */
    public int replayAll(@Nullable String eventType, @Nullable String aggregateType, int batchSize) {
        ReplayPass pass = pass(eventType, aggregateType, batchSize);
        int total = 0;
        while (!pass.isOver()) {
            int replayed = attempt("replay dead events after " + total, FAILED, () -> replayBatch(pass));
            if (replayed == FAILED) {
                return total;
            }
            total += replayed;
        }
        return total;
    }

    /**
     * As {@link #replayAll}.
     *
     * @throws SQLException if the database fails; the message says how many were replayed before, which stays done
     */
    public int replayAllOrFail(@Nullable String eventType, @Nullable String aggregateType, int batchSize)
            throws SQLException {
        ReplayPass pass = pass(eventType, aggregateType, batchSize);
        int total = 0;
        while (!pass.isOver()) {
            try {
                total += replayBatch(pass);
            } catch (UnsupportedOperationException e) {
                throw e;
            } catch (SQLException | RuntimeException e) {
                throw new SQLException(
                        "could not replay all dead events; " + total + " were replayed before: " + e.getMessage(),
                        e instanceof SQLException sql ? sql.getSQLState() : null,
                        e);
            }
        }
        return total;
    }

    private ReplayPass pass(@Nullable String eventType, @Nullable String aggregateType, int batchSize) {
        positive("batchSize", batchSize);
        return new ReplayPass(store, this::replay, eventType, aggregateType, batchSize);
    }

    private int replayBatch(ReplayPass pass) throws SQLException {
        return UnitOfWork.run(connections, pass::replayBatch);
    }

    /**
     * Ends a failing or dead event without delivering it; in ordered mode what follows it goes on.
     *
     * @return {@code false} if it is done already, is being delivered now, or the database fails
     */
    public boolean skip(String eventId) {
        return attempt("skip event " + eventId, false, () -> skipOrFail(eventId));
    }

    /** As {@link #skip}. @throws SQLException if the database fails, or whatever else the store throws then */
    public boolean skipOrFail(String eventId) throws SQLException {
        LeasingOutboxStore leasing = leasing("skip");
        return UnitOfWork.run(connections, conn -> leasing.skip(conn, eventId) > 0);
    }

    /**
     * Puts a failing or dead event aside: it is dead and can be replayed later, out of order; in ordered mode what
     * follows it goes on.
     *
     * @return {@code false} if it is done already, is being delivered now, or the database fails
     */
    public boolean park(String eventId) {
        return attempt("park event " + eventId, false, () -> parkOrFail(eventId));
    }

    /** As {@link #park}. @throws SQLException if the database fails, or whatever else the store throws then */
    public boolean parkOrFail(String eventId) throws SQLException {
        LeasingOutboxStore leasing = leasing("park");
        return UnitOfWork.run(connections, conn -> leasing.park(conn, eventId) > 0);
    }

    private LeasingOutboxStore leasing(String what) {
        if (store instanceof LeasingOutboxStore leasing) {
            return leasing;
        }
        throw new UnsupportedOperationException(
                what + " needs a LeasingOutboxStore; " + store.getClass().getName() + " is none");
    }

    /** How many events are dead; {@code null} counts all types. @return 0 if the database fails */
    public int count(@Nullable String eventType) {
        return attempt("count dead events", 0, () -> countOrFail(eventType));
    }

    /** As {@link #count}. @throws SQLException if the database fails, or whatever else the store throws then */
    public int countOrFail(@Nullable String eventType) throws SQLException {
        return UnitOfWork.run(connections, conn -> store.countDead(conn, eventType));
    }

    private interface Attempt<T> {
        T run() throws SQLException;
    }

    private static <T> T attempt(String what, T otherwise, Attempt<T> attempt) {
        try {
            return attempt.run();
        } catch (UnsupportedOperationException e) {
            throw e; // a store without dead letters is a mistake to be seen, not a failing database
        } catch (SQLException | RuntimeException e) {
            LOG.log(Level.ERROR, "could not " + what, e);
            return otherwise;
        }
    }

    private static void positive(String what, int value) {
        if (value <= 0) {
            throw new IllegalArgumentException(what + " must be positive: " + value);
        }
    }
}
