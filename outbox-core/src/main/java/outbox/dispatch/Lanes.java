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
 */
final class Lanes {
    private final Map<Key, Queue<Delivery>> lanes = new HashMap<>(); // guarded by this

    private record Key(String aggregateType, String aggregateId) {}

    /** @return whether the delivery has the way free; otherwise it waits here for its predecessor */
    synchronized boolean enter(Delivery delivery) {
        Key key = keyOf(delivery);
        if (key == null) {
            return true;
        }
        Queue<Delivery> lane = lanes.get(key);
        if (lane == null) {
            lanes.put(key, new ArrayDeque<>(4));
            return true;
        }
        lane.add(delivery);
        return false;
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
    synchronized List<Delivery> close(Delivery failed) {
        Key key = keyOf(failed);
        Queue<Delivery> lane = key == null ? null : lanes.remove(key);
        return lane == null ? List.of() : new ArrayList<>(lane);
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
