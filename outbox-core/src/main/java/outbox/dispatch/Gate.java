package outbox.dispatch;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Lets a limited number of deliveries of one listener run at once. A few more may wait here; beyond those an event goes
 * back to the table, so that one slow listener does not fill the queues of all. Thread-safe.
 */
final class Gate {
    private final int limit;
    private final int waitingLimit;
    private final Queue<Delivery> waiting = new ArrayDeque<>(); // guarded by this
    private int running; // guarded by this

    /** What became of a delivery that asked to enter. */
    enum Entry {
        ENTERED,
        WAITING,
        REFUSED
    }

    Gate(int limit) {
        this.limit = limit;
        this.waitingLimit = Math.max(16, limit);
    }

    synchronized Entry enter(Delivery delivery) {
        if (running < limit) {
            running++;
            return Entry.ENTERED;
        }
        if (waiting.size() < waitingLimit) {
            waiting.add(delivery);
            return Entry.WAITING;
        }
        return Entry.REFUSED;
    }

    /** @return a delivery that waited and now has the place of the one that left */
    synchronized @Nullable Delivery leave() {
        Delivery next = waiting.poll();
        if (next == null) {
            running--;
        }
        return next;
    }

    /** Takes out everything that waits. */
    synchronized List<Delivery> drain() {
        List<Delivery> left = new ArrayList<>(waiting);
        waiting.clear();
        return left;
    }
}
