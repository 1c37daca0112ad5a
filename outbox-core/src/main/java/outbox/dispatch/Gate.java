package outbox.dispatch;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Lets a limited number of deliveries of one listener run at once. A few more may wait here; beyond those an event goes
 * back to the table, so that one slow listener does not fill the queues of all. Several dispatchers may share a listener
 * and so its gate. Thread-safe.
 */
final class Gate {
    private final int limit;
    private final int waitingLimit;
    private final Queue<Waiting> waiting = new ArrayDeque<>(); // guarded by this
    private int running; // guarded by this

    /** What became of a delivery that asked to enter. */
    enum Entry {
        ENTERED,
        WAITING,
        REFUSED
    }

    private record Waiting(Delivery delivery, Consumer<Delivery> resume) {}

    Gate(int limit) {
        this.limit = limit;
        this.waitingLimit = Math.max(16, limit);
    }

    /** @param resume called when a delivery that had to wait has its place */
    synchronized Entry enter(Delivery delivery, Consumer<Delivery> resume) {
        if (running < limit) {
            running++;
            return Entry.ENTERED;
        }
        if (waiting.size() < waitingLimit) {
            waiting.add(new Waiting(delivery, resume));
            return Entry.WAITING;
        }
        return Entry.REFUSED;
    }

    /** One that was inside is done; the first that waits has its place. */
    void leave() {
        Waiting next = freePlace();
        if (next != null) {
            next.resume().accept(next.delivery());
        }
    }

    private synchronized @Nullable Waiting freePlace() {
        Waiting next = waiting.poll();
        if (next == null) {
            running--;
        }
        return next;
    }

    /** Takes out a delivery that waits. @return {@code false} if it does not: it has its place, or has left */
    synchronized boolean withdraw(Delivery delivery) {
        return waiting.removeIf(other -> other.delivery() == delivery);
    }
}
