package outbox.dispatch;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import outbox.dispatch.QueuedEvent.Source;

/**
 * Every event this dispatcher has in hand: queued, running, or waiting to be settled. Thread-safe.
 *
 * <h2>Without leases</h2>
 *
 * Where the store knows no leases, a poll may read a row just before its event ends here, or read and deliver it before
 * the after-commit hook brings it. So the last events that ended without a lease are remembered with the moment of their
 * end, and one that comes again is refused if it was read before that moment. What was read later is a new delivery: an
 * operator may have set the row back. With leases the database itself excludes this, unless a lease ran out before the
 * outcome was written and this very node claimed the row anew meanwhile: such ends are remembered too.
 */
final class HeldEvents {
    /** For {@link #hold}: earlier than any end. */
    static final long BEFORE_ALL = Long.MIN_VALUE;
    /** For {@link #hold}: later than any end. */
    static final long ALWAYS_CURRENT = Long.MAX_VALUE;

    private static final int REMEMBERED = 10_000;

    private final BytesInFlight bytes;

    private final ConcurrentMap<String, Delivery> held = new ConcurrentHashMap<>();
    private final AtomicLong moments = new AtomicLong();
    private final Map<String, Long> ended = Collections.synchronizedMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > REMEMBERED;
        }
    });

    HeldEvents(BytesInFlight bytes) {
        this.bytes = bytes;
    }

    /** The present moment, later than all before it. */
    long moment() {
        return moments.incrementAndGet();
    }

    /**
     * @param asOf when the event was known to be undelivered: the {@link #moment()} before its row was read
     * @return {@code false} if the event is in hand and goes its way, or has ended since {@code asOf}
     */
    boolean hold(Delivery delivery, long asOf) {
        bytes.add(delivery);
        Delivery chosen = held.compute(delivery.eventId(), (id, present) -> {
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
     * when this node claimed the row, its lease had run out and was taken anew: it goes on under the newer one. An older
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
     * Lets go of a delivery whose lease is over; in one step with {@link #hold}, so that a claim that takes it anew
     * either finds it here or brings it.
     *
     * @return {@code false} if its lease stands after all
     */
    boolean letGoIf(Delivery delivery, Predicate<Delivery> leaseIsOver) {
        Delivery left = held.computeIfPresent(
                delivery.eventId(),
                (id, present) -> present == delivery && leaseIsOver.test(delivery) ? null : present);
        if (left == delivery) {
            return false;
        }
        bytes.remove(delivery);
        return true;
    }

    /**
     * Lets go of a delivery whose outcome is in the table.
     *
     * @param inTime whether that was before its lease ran out
     */
    void settled(Delivery delivery, boolean inTime) {
        if (!delivery.isLeased() || !inTime) {
            ended.put(delivery.eventId(), moment()); // before it is let go: see hold
        }
        letGo(delivery);
    }

    void letGo(Delivery delivery) {
        held.remove(delivery.eventId(), delivery);
        bytes.remove(delivery);
    }

    boolean contains(Delivery delivery) {
        return held.get(delivery.eventId()) == delivery;
    }

    boolean contains(String eventId) {
        return held.containsKey(eventId);
    }

    Collection<Delivery> all() {
        return held.values();
    }

    int count() {
        return held.size();
    }
}
