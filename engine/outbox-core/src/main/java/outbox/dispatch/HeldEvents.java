package outbox.dispatch;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import outbox.dispatch.QueuedEvent.Source;

/**
 * Every event this dispatcher has in hand: queued, running, or waiting to be settled. Thread-safe.
 *
 * <h2>Without leases</h2>
 *
 * Where the store knows no leases, a poll may read a row just before its event is done here, or read it before the
 * after-commit hook brings it. The ids of the last events that were done without a lease are therefore remembered for
 * a while. With leases the database itself excludes this.
 */
final class HeldEvents {
    private static final int REMEMBERED = 10_000;

    private final ConcurrentMap<String, Delivery> held = new ConcurrentHashMap<>();
    private final Set<String> doneWithoutLease =
            Collections.synchronizedSet(Collections.newSetFromMap(new LinkedHashMap<>() {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
                    return size() > REMEMBERED;
                }
            }));

    /** @return {@code false} if the event is in hand and goes its way, or has just been done */
    boolean hold(Delivery delivery) {
        if (!delivery.isLeased() && doneWithoutLease.contains(delivery.eventId())) {
            return false;
        }
        return held.compute(delivery.eventId(), (id, present) -> chosen(delivery, present)) == delivery;
    }

    /**
     * Two leases of one row. If the present delivery is finished and the other one was claimed, the outcome has just been
     * written and not yet reported here, and this is the next attempt. If it is not finished, its lease had run out and
     * was taken anew: it goes on under the newer one. An older lease than ours is a late after-commit hook.
     */
    private static Delivery chosen(Delivery other, @Nullable Delivery present) {
        if (present == null) {
            return other;
        }
        if (!other.isLeased()) {
            return present;
        }
        if (present.isFinished() && other.source() == Source.COLD) {
            return other;
        }
        if (!present.isFinished() && other.leasedAt() - present.leasedAt() >= 0) {
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
        return left != delivery;
    }

    /** @param done whether the event was delivered for good */
    void letGo(Delivery delivery, boolean done) {
        if (done && !delivery.isLeased()) {
            doneWithoutLease.add(delivery.eventId());
        }
        held.remove(delivery.eventId(), delivery);
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
