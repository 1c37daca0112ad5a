package outbox.dispatch;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets a limited number of deliveries of one listener run at once. Some more wait here: as many as it gets done in a
 * quarter of a second, so that a place is taken again as soon as it is free. Beyond those an event goes back to the
 * table, and one slow listener does not fill the queues of all. Several dispatchers may share a listener and so its gate.
 * Thread-safe.
 *
 * <h2>Appointments</h2>
 *
 * What goes back would be claimed again at once, and in vain; if all came together later, most of it would be. So events
 * come one after the other, within a second at most, from when half of those that wait have had their turn, and four
 * times as fast as the listener was so far: if it was measured too slow, or has become faster, the next measure says so.
 */
final class Gate {
    private static final int FEWEST_WAITING = 16;
    private static final int MOST_WAITING = 500;
    private static final long WAITING_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long SHORTEST_DELAY = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long LONGEST_DELAY = TimeUnit.SECONDS.toNanos(1);
    private static final int OPTIMISM = 4;
    /** After so much time under load, what was measured before counts half. */
    private static final long MEMORY_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final int limit;
    private final LongSupplier ticks;
    private final Queue<Waiting> waiting = new ArrayDeque<>(); // guarded by this, as all below
    private int running;
    private long loadedNanos; // time with deliveries waiting, without the current stretch of it
    private long loadedSince; // of the current stretch
    private long placesGiven;
    private long nextAppointment;

    /** What became of a delivery that asked to enter. */
    enum Entry {
        ENTERED,
        WAITING,
        REFUSED
    }

    private record Waiting(Delivery delivery, Consumer<Delivery> resume) {}

    Gate(int limit, LongSupplier ticks) {
        this.limit = limit;
        this.ticks = ticks;
        this.nextAppointment = ticks.getAsLong();
    }

    /** @param resume called when a delivery that had to wait has its place */
    synchronized Entry enter(Delivery delivery, Consumer<Delivery> resume) {
        if (running < limit) {
            running++;
            return Entry.ENTERED;
        }
        if (waiting.isEmpty()) {
            loadedSince = ticks.getAsLong();
        }
        if (waiting.size() < waitingLimit()) {
            waiting.add(new Waiting(delivery, resume));
            return Entry.WAITING;
        }
        return Entry.REFUSED;
    }

    private int waitingLimit() {
        long shown = placesGiven * WAITING_NANOS / Math.max(1, loaded());
        return (int) Math.max(Math.max(FEWEST_WAITING, limit), Math.min(MOST_WAITING, shown));
    }

    private long loaded() {
        return waiting.isEmpty() ? loadedNanos : loadedNanos + ticks.getAsLong() - loadedSince;
    }

    /** How long a delivery that was refused should stay away. */
    synchronized Duration appointment() {
        long now = ticks.getAsLong();
        long pace = loaded() / (placesGiven + 1);
        long halfOfThem = Math.min(LONGEST_DELAY, pace * waiting.size() / 2);
        long first = now + Math.max(SHORTEST_DELAY, halfOfThem);
        if (nextAppointment - first < 0 || nextAppointment - now > LONGEST_DELAY) {
            nextAppointment = first;
        }
        Duration delay = Duration.ofNanos(nextAppointment - now);
        nextAppointment += pace / OPTIMISM;
        return delay;
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
            return null;
        }
        placesGiven++;
        if (waiting.isEmpty()) {
            loadedNanos += ticks.getAsLong() - loadedSince;
        }
        if (loaded() > MEMORY_NANOS) {
            loadedNanos -= loaded() / 2;
            placesGiven /= 2;
        }
        return next;
    }

    /** Takes out a delivery that waits. @return {@code false} if it does not: it has its place, or has left */
    synchronized boolean withdraw(Delivery delivery) {
        boolean withdrawn = waiting.removeIf(other -> other.delivery() == delivery);
        if (withdrawn && waiting.isEmpty()) {
            loadedNanos += ticks.getAsLong() - loadedSince;
        }
        return withdrawn;
    }
}
