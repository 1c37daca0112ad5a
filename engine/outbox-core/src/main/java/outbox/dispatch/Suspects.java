package outbox.dispatch;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Suspect deliveries that wait for their turn: events whose last delivery may have ended with its process. Thread-safe.
 *
 * <h2>Why they wait</h2>
 *
 * One of them may end this process too, and then the attempts of all that are running count. So only a few run at a time,
 * and one whose attempts were counted before runs alone among them: it may be the one that ended the process, or have
 * run beside it. An event that only had bad neighbours thus loses one attempt at most. Those without attempts come first.
 */
final class Suspects {
    private static final int AT_A_TIME = 4;

    private final Queue<Delivery> uncounted = new ArrayDeque<>(); // guarded by this, as all below
    private final Queue<Delivery> counted = new ArrayDeque<>();
    private final Set<Delivery> running = new HashSet<>();

    /** @return whether it may run now; otherwise it waits here */
    synchronized boolean enter(Delivery delivery) {
        (delivery.attempts() == 0 ? uncounted : counted).add(delivery);
        return next() == delivery;
    }

    /**
     * The outcome of one that ran or waited here is written: before that, the end of this process would count its attempt.
     *
     * @return those that may run now
     */
    synchronized List<Delivery> leave(Delivery delivery) {
        if (!running.remove(delivery) && !withdraw(delivery)) {
            return List.of(); // it became suspect on its way
        }
        List<Delivery> free = new ArrayList<>(0);
        for (Delivery next = next(); next != null; next = next()) {
            free.add(next);
        }
        return free;
    }

    private @Nullable Delivery next() {
        boolean alone = running.stream().anyMatch(delivery -> delivery.attempts() > 0);
        Delivery next = null;
        if (running.isEmpty()) {
            next = uncounted.isEmpty() ? counted.poll() : uncounted.poll();
        } else if (!alone && running.size() < AT_A_TIME) {
            next = uncounted.poll();
        }
        if (next != null) {
            running.add(next);
        }
        return next;
    }

    /** @return {@code false} if it does not wait here */
    synchronized boolean withdraw(Delivery delivery) {
        return uncounted.remove(delivery) || counted.remove(delivery);
    }

    synchronized int waiting() {
        return uncounted.size() + counted.size();
    }

    /** Takes out everything that waits. */
    synchronized List<Delivery> drain() {
        List<Delivery> left = new ArrayList<>(uncounted);
        left.addAll(counted);
        uncounted.clear();
        counted.clear();
        return left;
    }
}
