package outbox.spi;

import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.model.OutboxEvent;

/**
 * A store whose rows can be leased, by the database's own clock. A lease is the pair of {@code locked_by} and
 * {@code locked_at}; it is over when {@code locked_at} lies further back than the lease time of whoever looks. Every
 * change of a leased row is fenced: it happens only while {@code locked_by} still is the owner who asks.
 *
 * <p>All methods work in the caller's transaction; on a connection in auto-commit mode each call is a transaction by
 * itself.
 */
public interface LeasingOutboxStore extends OutboxStore {
    /** What {@code locked_by} of a dead row holds that was parked: it does not block its aggregate any more. */
    String PARKED = "#parked";

    /**
     * Inserts events that are leased to {@code owner} from the start. Delayed events ({@link EventEnvelope#isDelayed()})
     * are inserted without a lease: their time comes later, and anyone may take them then.
     */
    void insertLeased(Connection conn, List<EventEnvelope> events, String owner);

    /**
     * Leases up to {@code request.limit()} due rows that nobody holds, or whose lease is over, and no more than
     * {@code request.maxBytes()} allows. Rows beyond these bounds are left as they are.
     * Rows whose lease is over are {@link OutboxEvent#suspect suspect}: their owner neither settled nor released them.
     *
     * @return the rows, the one that became due first in front
     */
    List<OutboxEvent> claim(Connection conn, ClaimRequest request);

    /**
     * Like {@link #claim}, and keeps the order of each aggregate: a row is taken only if all rows before it that are
     * still to be delivered are taken with it or held by the same owner already. A row before it that another owner
     * holds, that is not due yet, or that is dead and not parked, blocks it. Rows without an aggregate id have no order.
     * "Before" is decided by the column {@code seq}, which the database generates; {@code request.skipRecent()} is zero.
     *
     * @return the rows, those of one aggregate in their order
     * @throws UnsupportedOperationException if this store cannot keep an order
     */
    default List<OutboxEvent> claimOrdered(Connection conn, ClaimRequest request) {
        throw new UnsupportedOperationException(getClass().getName()
                + " does not implement LeasingOutboxStore.claimOrdered: ordered delivery needs it");
    }

    /**
     * Writes the outcomes of deliveries, each only if {@code owner} still holds the row; the lease ends with it.
     *
     * @return ids of rows that {@code owner} did not hold any more; nothing was changed there
     */
    Set<String> settle(Connection conn, String owner, List<Settlement> settlements);

    /**
     * Writes that an attempt is about to be made: the row holds that number of attempts, whatever becomes of this process.
     * The lease stays as it is.
     *
     * @param attempts those made so far, this one included
     * @return {@code false} if {@code owner} does not hold the row any more; nothing was changed
     */
    boolean beginAttempt(Connection conn, String owner, String eventId, int attempts);

    /**
     * Which of these rows another transaction has locked at this moment, so that a change of them would have to wait. Asked
     * when outcomes could not be written, to set those aside and write the others; a store that cannot tell says none.
     */
    default Set<String> lockedRows(Connection conn, Collection<String> eventIds) {
        return Set.of();
    }

    /**
     * Starts the leases of these rows anew.
     *
     * @return ids of rows that {@code owner} did not hold any more
     */
    Set<String> renew(Connection conn, String owner, Collection<String> eventIds);

    /**
     * Lets all leases on undelivered rows run out at once that somebody else than {@code owner} holds, so that a claim finds
     * these rows {@link OutboxEvent#suspect suspect}. Only right where there is no other node: at the start of a single one,
     * to take over at once what its predecessor left.
     *
     * @return how many rows can be claimed now
     */
    int expireOthers(Connection conn, String owner);

    /**
     * An operator's choice for an event that fails: it counts as DONE without having been delivered.
     *
     * @return 0 if the row is DONE already or somebody is delivering it now
     */
    default int skip(Connection conn, String eventId) {
        throw new UnsupportedOperationException(getClass().getName() + " does not implement LeasingOutboxStore.skip");
    }

    /**
     * An operator's choice for an event that fails: it is put aside as DEAD, to be replayed some day, and does not
     * block what follows it in its aggregate.
     *
     * @return 0 if the row is DONE already or somebody is delivering it now
     */
    default int park(Connection conn, String eventId) {
        throw new UnsupportedOperationException(getClass().getName() + " does not implement LeasingOutboxStore.park");
    }

    /**
     * How long the oldest undelivered row has been due, by the database's clock; {@code null} if there is none. Retries
     * and releases do not make a row younger: once it was attempted or released it counts from its creation. A row that
     * is scheduled for later has no age.
     */
    @Nullable
    Duration oldestPendingAge(Connection conn);

    /**
     * How many rows wait to be delivered, due or not; counts no further than {@code atMost}, because a backlog must not
     * make this slow. Empty if this store does not count.
     */
    default OptionalInt countPending(Connection conn, int atMost) {
        return OptionalInt.empty();
    }

    /** How many rows are dead, counted and bounded as by {@link #countPending}. */
    default OptionalInt countDead(Connection conn, int atMost) {
        return OptionalInt.empty();
    }

    /**
     * @throws IllegalStateException if the table is missing or lacks a column; the message says which and how to get it
     */
    void verifySchema(Connection conn);

    /**
     * Whether the table can be changed through this connection, without changing anything.
     *
     * @param delivers whether rows are claimed and settled too, not only inserted
     * @throws IllegalStateException if not, by a read-only connection or for lack of a privilege; the message says what to do
     */
    default void verifyWritable(Connection conn, boolean delivers) {}

    /** Like {@link #verifySchema}, for what {@link #claimOrdered} needs beyond it. */
    default void verifyOrderedSchema(Connection conn) {
        verifySchema(conn);
    }
}
