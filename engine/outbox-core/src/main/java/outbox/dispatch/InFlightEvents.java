package outbox.dispatch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import outbox.dispatch.QueuedEvent.Source;
import outbox.util.Ticks;

/**
 * The ledger of what is in flight on this node: every event that is queued, running, or waiting to be settled, where it
 * waits, whether its lease stands, and how much room is left. It calls nobody back. The rules are in {@code docs/engine.md}. Thread-safe.
 *
 * <h2>Without leases</h2>
 *
 * Where the store knows no leases, a poll may read a row just before its event ends here, or read and deliver it before
 * the after-commit hook brings it. So the last events that ended without a lease are remembered with the moment of their
 * end, and one that comes again is refused if it was read before that moment. What was read later is a new delivery: an
 * operator may have reset the row. With leases the database itself excludes this, unless a lease ran out before the
 * outcome was written and this very node claimed the row again meanwhile: such ends are remembered too.
 */
final class InFlightEvents {
    /** For {@link #add}: earlier than any end. */
    static final long BEFORE_ALL = Long.MIN_VALUE;
    /** For {@link #add}: later than any end. */
    static final long ALWAYS_CURRENT = Long.MAX_VALUE;

    private static final int REMEMBERED = 10_000;

    private final EventQueues queues;
    private final BytesInFlight bytes;
    private final @Nullable OrderingKeys keys;
    private final Suspects suspects = new Suspects();
    private final int coldCapacity;
    private final LongSupplier ticks;
    private volatile long leaseNanos;
    private final AtomicInteger finished = new AtomicInteger();
    private volatile boolean drained;

    private final ConcurrentMap<String, Delivery> byId = new ConcurrentHashMap<>();
    private final AtomicLong moments = new AtomicLong();
    private final Map<String, Long> ended = Collections.synchronizedMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > REMEMBERED;
        }
    });

    /**
     * @param byteLimit for the payloads and headers of all
     * @param keys {@code null} where no order is kept
     */
    InFlightEvents(
            int hotCapacity,
            int coldCapacity,
            long byteLimit,
            @Nullable OrderingKeys keys,
            LongSupplier ticks,
            Duration leaseTime) {
        this.bytes = new BytesInFlight(byteLimit);
        this.queues = new EventQueues(hotCapacity, coldCapacity);
        this.keys = keys;
        this.coldCapacity = coldCapacity;
        this.ticks = ticks;
        this.leaseNanos = Ticks.in(leaseTime);
    }

    /** How long a lease lasts. */
    long leaseNanos() {
        return leaseNanos;
    }

    /** A poller that considers leases over sooner than we thought makes all of ours shorter. */
    void shortenLeases(Duration leaseTime) {
        leaseNanos = Math.min(leaseNanos, Ticks.in(leaseTime));
    }

    /** Whether the lease certainly still stands: nobody else may deliver this event now. */
    boolean isCurrent(Delivery delivery) {
        return !delivery.isLeaseLost() && ticks.getAsLong() - delivery.leasedAt() < leaseNanos;
    }

    /** Whether a lease is renewed before it is over, if its event comes to this dispatcher now. */
    boolean isInTime(long leasedAt) {
        return ticks.getAsLong() - leasedAt < leaseNanos / 2;
    }

    EventQueues queues() {
        return queues;
    }

    BytesInFlight bytes() {
        return bytes;
    }

    /** {@code null} where no order is kept. */
    @Nullable
    OrderingKeys keys() {
        return keys;
    }

    /** The present moment, later than all before it. */
    long moment() {
        return moments.incrementAndGet();
    }

    /**
     * @param asOf when the event was known to be undelivered: the {@link #moment()} before its row was read
     * @return {@code false} if the event is in flight and goes its way, or has ended since {@code asOf}
     */
    boolean add(Delivery delivery, long asOf) {
        bytes.add(delivery);
        Delivery chosen = byId.compute(delivery.eventId(), (id, present) -> {
            boolean mayHaveEnded = !delivery.isLeased() || delivery.isReclaimed();
            if (present == null && mayHaveEnded && hasEndedSince(asOf, id)) {
                return null;
            }
            return chosen(delivery, present);
        });
        if (chosen == delivery) {
            return true;
        }
        bytes.remove(delivery);
        return false;
    }

    private boolean hasEndedSince(long asOf, String eventId) {
        Long moment = ended.get(eventId);
        return moment != null && moment > asOf;
    }

    /**
     * Two leases of one row. If the present delivery is finished and the other one was claimed, the outcome has just been
     * written and not yet reported here, and this is the next attempt. If it is not finished, or its outcome was not written
     * when this node claimed the row, its lease had run out and was claimed again: it goes on under the newer one. An older
     * lease than ours is a late after-commit hook.
     */
    private static Delivery chosen(Delivery other, @Nullable Delivery present) {
        if (present == null) {
            return other;
        }
        if (!other.isLeased()) {
            return present;
        }
        if (present.isFinished() && other.source() == Source.COLD && !other.isReclaimed()) {
            return other;
        }
        if ((!present.isFinished() || other.isReclaimed()) && other.leasedAt() - present.leasedAt() >= 0) {
            present.leaseTaken(other);
        }
        return present;
    }

    /**
     * Lets go of a delivery whose lease is over; in one step with {@link #add}, so that a claim that takes it anew
     * either finds it here or brings it.
     *
     * @return {@code false} if its lease stands after all
     */
    boolean removeIfOver(Delivery delivery) {
        Delivery left = byId.computeIfPresent(
                delivery.eventId(), (id, present) -> present == delivery && !isCurrent(delivery) ? null : present);
        if (left == delivery) {
            return false;
        }
        bytes.remove(delivery);
        return true;
    }

    /** Removes a delivery whose outcome is in the table. */
    void settled(Delivery delivery) {
        if (!delivery.isLeased() || !isCurrent(delivery)) {
            ended.put(delivery.eventId(), moment()); // before it is removed: see add
        }
        remove(delivery);
    }

    void remove(Delivery delivery) {
        byId.remove(delivery.eventId(), delivery);
        bytes.remove(delivery);
    }

    boolean contains(Delivery delivery) {
        return byId.get(delivery.eventId()) == delivery;
    }

    boolean contains(String eventId) {
        return byId.containsKey(eventId);
    }

    Collection<Delivery> all() {
        return byId.values();
    }

    int count() {
        return byId.size();
    }

    /** A delivery has an outcome, which waits to be written. */
    void finished() {
        finished.incrementAndGet();
    }

    /** An outcome needs no more care. */
    void written() {
        finished.decrementAndGet();
    }

    /**
     * How many more cold events there is a place for. OrderingKeys hold what the queue has none for, so everything in flight
     * counts, except what only waits to be written: that has a bound of its own, and the next claim should not wait for
     * it.
     */
    int coldRoom() {
        if (bytes.coldRoom() == 0) {
            return 0;
        }
        return keys == null
                ? Math.max(0, Math.min(queues.coldRemaining(), coldCapacity - suspects.waiting()))
                : Math.max(0, Math.min(coldCapacity, coldCapacity - count() + finished.get()));
    }

    /** Whether the poller should claim more now, if it found too little room before. */
    boolean isRoomWorthwhile() {
        int room = coldRoom();
        return isWorthwhile(room) || (keys != null && room > 0 && queues.isEmpty());
    }

    /** Whether it is worth while to claim more with that much room. */
    boolean isWorthwhile(int room) {
        return room >= Math.max(1, coldCapacity / 2) && bytes.isColdRoomWorthwhile();
    }

    /** @return {@code false} if there is no room, or all is being taken out: the caller still has the delivery */
    boolean offer(Delivery delivery) {
        return queues.offer(delivery) && isTaken(delivery);
    }

    /**
     * A delivery that came from the table, or whose predecessor is done, goes to the workers; a suspect one when it has its
     * turn.
     *
     * @return {@code false} if all was taken out meanwhile: the caller still has the delivery
     */
    boolean ready(Delivery delivery) {
        if (!delivery.isSuspect() || suspects.enter(delivery)) {
            return resume(delivery);
        }
        return !drained || !suspects.withdraw(delivery);
    }

    /** The outcome of a delivery is written, or it has none. @return suspect ones that have their turn now */
    List<Delivery> left(Delivery delivery) {
        return delivery.isSuspect() ? suspects.leave(delivery) : List.of();
    }

    /**
     * A delivery that had to wait can go on.
     *
     * @return {@code false} if all was taken out meanwhile: the caller still has the delivery
     */
    boolean resume(Delivery delivery) {
        queues.resume(delivery);
        return isTaken(delivery);
    }

    /** Whether a delivery that was queued just now is taken by a worker or by {@link #drain()}. */
    private boolean isTaken(Delivery queued) {
        return !drained || !queues.withdraw(queued);
    }

    /**
     * Takes out everything that waits: for its listener's concurrency limit, in a queue, behind its key. Those at a limit first: while they
     * wait there, they are brought to the queues as places become free.
     */
    List<Delivery> drain() {
        List<Delivery> left = new ArrayList<>();
        for (Delivery delivery : all()) {
            if (delivery.withdraw()) {
                left.add(delivery);
            }
        }
        drained = true;
        left.addAll(queues.drain());
        if (keys != null) {
            left.addAll(keys.drain());
        }
        left.addAll(suspects.drain());
        return left;
    }
}
