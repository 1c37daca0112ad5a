package outbox.dispatch;

import java.util.Collection;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Every event this dispatcher has in hand: queued, running, or waiting to be settled. Thread-safe.
 *
 * <h2>Polling without leases</h2>
 *
 * A poller that does not claim reads rows that are in hand already, or that are settled between its query and the
 * moment it hands them over. The first are found in the map. For the second, ids let go while such a poll is under way
 * are remembered until the next one starts.
 */
final class HeldEvents {
    private final ConcurrentMap<String, Delivery> held = new ConcurrentHashMap<>();
    private final Set<String> letGoDuringPoll = ConcurrentHashMap.newKeySet();
    private volatile boolean unleasedPolls;

    /** @return {@code false} if the event is in hand and goes its way, or was while the current poll read its row */
    boolean hold(Delivery delivery) {
        Delivery present = held.putIfAbsent(delivery.eventId(), delivery);
        if (present != null) {
            return delivery.isLeased() && replaces(delivery, present);
        }
        if (unleasedPolls && !delivery.isLeased() && letGoDuringPoll.contains(delivery.eventId())) {
            held.remove(delivery.eventId());
            return false;
        }
        return true;
    }

    /**
     * A row we hold was claimed again. If its delivery is finished, its outcome has just been written and not yet
     * reported here, and this is the next attempt. If not, its lease had run out and is ours anew: it goes on.
     */
    private boolean replaces(Delivery claimed, Delivery present) {
        if (present.isFinished()) {
            held.put(claimed.eventId(), claimed);
            return true;
        }
        if (Objects.equals(claimed.owner(), present.owner())) {
            present.leaseRenewed(claimed.leasedAt());
        }
        return false;
    }

    void letGo(Delivery delivery) {
        if (unleasedPolls) {
            letGoDuringPoll.add(delivery.eventId());
        }
        held.remove(delivery.eventId(), delivery);
    }

    boolean contains(Delivery delivery) {
        return held.get(delivery.eventId()) == delivery;
    }

    Collection<Delivery> all() {
        return held.values();
    }

    int count() {
        return held.size();
    }

    /** A poller without leases is about to read. */
    void unleasedPollStarts() {
        unleasedPolls = true;
        letGoDuringPoll.clear();
    }
}
