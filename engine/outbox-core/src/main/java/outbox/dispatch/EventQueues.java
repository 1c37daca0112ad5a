package outbox.dispatch;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The two bounded queues between those who bring events and the workers.
 *
 * <h2>One signal</h2>
 *
 * A semaphore holds one permit for each queued event, of either queue. A worker acquires a permit and then takes an
 * event from whichever queue has its turn, so it never waits on one queue while the other has work. The offer comes
 * before the permit, hence a permit holder always finds an event; it may have to look twice while others take and
 * offer at the same moment.
 *
 * <h2>Fairness</h2>
 *
 * Two turns for hot, one for cold; an empty queue gives its turn away. An event that was taken and had to wait (for a place at its
 * listener, for its predecessor of the same key) goes first when it is resumed.
 */
final class EventQueues {
    private final ArrayBlockingQueue<Delivery> hot;
    private final ArrayBlockingQueue<Delivery> cold;
    private final Queue<Delivery> resumed = new ConcurrentLinkedQueue<>();
    private final Semaphore available = new Semaphore(0);
    private final AtomicInteger turn = new AtomicInteger();
    private volatile boolean closed;

    EventQueues(int hotCapacity, int coldCapacity) {
        this.hot = new ArrayBlockingQueue<>(hotCapacity);
        this.cold = new ArrayBlockingQueue<>(coldCapacity);
    }

    /** @return {@code false} if the queue of the event's source is full or the hand-off is closed */
    boolean offer(Delivery delivery) {
        ArrayBlockingQueue<Delivery> queue = delivery.source() == QueuedEvent.Source.HOT ? hot : cold;
        if (closed || !queue.offer(delivery)) {
            return false;
        }
        available.release();
        return true;
    }

    /** Puts an event in front that was taken before and had to wait; it was counted against a queue already. */
    void resume(Delivery delivery) {
        resumed.add(delivery);
        available.release();
    }

    /** Waits for the next event; {@code null} once this is closed and empty. */
    @Nullable
    Delivery take() throws InterruptedException {
        available.acquire();
        return next();
    }

    /** The next event if one is there. */
    @Nullable
    Delivery tryTake() {
        return available.tryAcquire() ? next() : null;
    }

    private @Nullable Delivery next() {
        boolean coldFirst = Math.floorMod(turn.getAndIncrement(), 3) == 2;
        while (true) {
            Delivery delivery = resumed.poll();
            if (delivery != null) {
                return delivery;
            }
            delivery = coldFirst ? cold.poll() : hot.poll();
            if (delivery == null) {
                delivery = coldFirst ? hot.poll() : cold.poll();
            }
            if (delivery != null) {
                return delivery;
            }
            if (closed) {
                available.release(); // the next worker must see the end too
                return null;
            }
            Thread.onSpinWait();
        }
    }

    /** Whether the workers have nothing to take at this moment. */
    boolean isEmpty() {
        return available.availablePermits() == 0;
    }

    /** Whether an event waits. */
    boolean hasWork() {
        return !resumed.isEmpty() || !hot.isEmpty() || !cold.isEmpty();
    }

    int hotDepth() {
        return hot.size();
    }

    int coldDepth() {
        return cold.size();
    }

    int coldRemaining() {
        return cold.remainingCapacity();
    }

    /** Refuses new events from now on; what is queued can still be taken. */
    void close() {
        closed = true;
        available.release();
    }

    /** Takes out this one. @return {@code false} if somebody else has taken it, or is about to */
    boolean withdraw(Delivery delivery) {
        boolean permitted = available.tryAcquire();
        if (!permitted && !closed) {
            return false; // each event that is left is promised to a worker
        }
        boolean taken = resumed.remove(delivery) || hot.remove(delivery) || cold.remove(delivery);
        if (permitted && !taken) {
            available.release();
        }
        return taken;
    }

    /** Takes out everything that is left; what is resumed meanwhile is taken out too, or stays. */
    List<Delivery> drain() {
        List<Delivery> left = new ArrayList<>();
        for (Delivery delivery = resumed.poll(); delivery != null; delivery = resumed.poll()) {
            left.add(delivery);
        }
        hot.drainTo(left);
        cold.drainTo(left);
        return left;
    }
}
