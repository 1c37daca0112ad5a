package outbox.dead;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.model.OutboxEvent;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasingOutboxStore;
import outbox.spi.OutboxStore;
import outbox.spi.UnitOfWork;

/**
 * Looks at dead events and replays them, on connections of its own. A database that fails is logged and answered with
 * an empty result, as each method says. Thread-safe.
 */
public final class DeadEventManager {
    private static final Logger LOG = System.getLogger(DeadEventManager.class.getName());

    private static final int FAILED = -1;

    private final ConnectionProvider connections;
    private final OutboxStore store;

    public DeadEventManager(ConnectionProvider connectionProvider, OutboxStore outboxStore) {
        this.connections = Objects.requireNonNull(connectionProvider, "connectionProvider");
        this.store = Objects.requireNonNull(outboxStore, "outboxStore");
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
        return attempt(
                "query dead events",
                List.of(),
                () -> UnitOfWork.run(connections, conn -> store.queryDead(conn, eventType, aggregateType, limit)));
    }

    /** Sets one dead event back to NEW. @return whether it was dead and is NEW now; {@code false} if the database fails */
    public boolean replay(String eventId) {
        Objects.requireNonNull(eventId, "eventId");
        return attempt(
                "replay event " + eventId,
                false,
                () -> UnitOfWork.run(connections, conn -> store.replayDead(conn, eventId) > 0));
    }

    /**
     * Replays all matching events, batch by batch, each of them once: one that is dead again before this ends is not
     * replayed a second time.
     *
     * @return how many; if the database fails, those up to then
     */
    public int replayAll(@Nullable String eventType, @Nullable String aggregateType, int batchSize) {
        positive("batchSize", batchSize);
        ReplayPass pass = new ReplayPass(store, eventType, aggregateType, batchSize);
        int total = 0;
        while (!pass.isOver()) {
            int replayed = attempt(
                    "replay dead events after " + total, FAILED, () -> UnitOfWork.run(connections, pass::replayBatch));
            if (replayed == FAILED) {
                return total;
            }
            total += replayed;
        }
        return total;
    }

    /**
     * Ends a failing or dead event without delivering it; in ordered mode what follows it goes on.
     *
     * @return {@code false} if it is done already, is being delivered now, or the database fails
     */
    public boolean skip(String eventId) {
        LeasingOutboxStore leasing = leasing("skip");
        return attempt(
                "skip event " + eventId,
                false,
                () -> UnitOfWork.run(connections, conn -> leasing.skip(conn, eventId) > 0));
    }

    /**
     * Puts a failing or dead event aside: it is dead and can be replayed later, out of order; in ordered mode what
     * follows it goes on.
     *
     * @return {@code false} if it is done already, is being delivered now, or the database fails
     */
    public boolean park(String eventId) {
        LeasingOutboxStore leasing = leasing("park");
        return attempt(
                "park event " + eventId,
                false,
                () -> UnitOfWork.run(connections, conn -> leasing.park(conn, eventId) > 0));
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
        return attempt(
                "count dead events", 0, () -> UnitOfWork.run(connections, conn -> store.countDead(conn, eventType)));
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
