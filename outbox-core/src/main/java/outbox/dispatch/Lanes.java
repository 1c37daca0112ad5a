package outbox.dispatch;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Order per key inside this node: of the events of one aggregate only the first is with the workers, the others wait in
 * their lane. Events without an aggregate id have no order. Thread-safe.
 *
 * <h2>When the first fails</h2>
 *
 * Those behind it leave with it. More of them may be on their way here: a claim takes what follows a row this node
 * holds, and it may have done so before the failure was written. Their lease tells: until the failure is written, and
 * for leases taken before that, the lane stays shut.
 */
final class Lanes {
    private final Map<Key, Queue<Delivery>> lanes = new HashMap<>(); // guarded by this
    private final Map<Key, Shut> shut = new HashMap<>(); // guarded by this

    private record Key(String aggregateType, String aggregateId) {}

    /** Since when the failure of {@code by} is in the database, in ticks; {@code null} while it is not. */
    private record Shut(Delivery by, @Nullable Long writtenAt) {}

    /** What becomes of a delivery that came. */
    enum Place {
        /** It can go to the workers. */
        FREE,
        /** It waits here for its predecessor. */
        BEHIND,
        /** Its predecessor failed: it must go back to the table. */
        REFUSED
    }

    synchronized Place enter(Delivery delivery) {
        Key key = keyOf(delivery);
        if (key == null) {
            return Place.FREE;
        }
        Shut failure = shut.get(key);
        if (failure != null) {
            if (failure.writtenAt() == null || delivery.leasedAt() - failure.writtenAt() <= 0) {
                return Place.REFUSED;
            }
            shut.remove(key);
        }
        Queue<Delivery> lane = lanes.get(key);
        if (lane == null) {
            lanes.put(key, new ArrayDeque<>(4));
            return Place.FREE;
        }
        lane.add(delivery);
        return Place.BEHIND;
    }

    /** The delivery in front is done. @return the one that follows it */
    synchronized @Nullable Delivery advance(Delivery done) {
        Key key = keyOf(done);
        Queue<Delivery> lane = key == null ? null : lanes.get(key);
        if (lane == null) {
            return null;
        }
        Delivery next = lane.poll();
        if (next == null) {
            lanes.remove(key);
        }
        return next;
    }

    /** The delivery in front did not get through. @return those behind it, which can not be delivered either */
    synchronized List<Delivery> shut(Delivery failed) {
        Key key = keyOf(failed);
        if (key == null) {
            return List.of();
        }
        shut.put(key, new Shut(failed, null));
        Queue<Delivery> lane = lanes.remove(key);
        return lane == null ? List.of() : new ArrayList<>(lane);
    }

    /** What shut a lane is in the database now, so later claims go by it. */
    synchronized void written(Delivery failed, long now) {
        Key key = keyOf(failed);
        if (key != null) {
            shut.computeIfPresent(key, (same, failure) -> failure.by() == failed ? new Shut(failed, now) : failure);
        }
    }

    /** Takes out everything that waits. */
    synchronized List<Delivery> drain() {
        List<Delivery> left = new ArrayList<>();
        lanes.values().forEach(left::addAll);
        lanes.clear();
        return left;
    }

    private static @Nullable Key keyOf(Delivery delivery) {
        String aggregateId = delivery.envelope().aggregateId();
        return aggregateId == null ? null : new Key(delivery.envelope().aggregateType(), aggregateId);
    }
}
