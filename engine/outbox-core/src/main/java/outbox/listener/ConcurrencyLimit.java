package outbox.listener;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many deliveries of one listener run at the same time. Some more wait here: as many as the listener finishes
 * in a quarter of a second, so that a free place is taken immediately. Beyond those, an event is released to the table,
 * so one slow listener does not fill the queues of all. Dispatchers that share a listener share its limit. For the
 * engine's own modules. Thread-safe.
 *
 * <h2>When a refused event comes back</h2>
 *
 * If released events were claimed again immediately, or all at the same time later, most of them would be refused again.
 * {@link #retryAfter()} therefore spreads them: the first comes when half of those that wait have run, each following one
 * a little later, within one second at most. The spacing assumes that the listener is four times as fast as measured; if
 * it is not, the next measurement corrects it.
 */
public final class ConcurrencyLimit {
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
    private final Queue<Waiting<?>> waiting = new ArrayDeque<>(); // guarded by this, as all below
    private int running;
    private long loadedNanos; // time with deliveries waiting, without the current stretch of it
    private long loadedSince; // of the current stretch
    private long placesGiven;
    private long nextRetryAt;

    /** What became of a delivery that asked to enter. */
    public enum Entry {
        ENTERED,
        WAITING,
        REFUSED
    }

    private record Waiting<T>(T delivery, Consumer<? super T> resume) {
        void onPlaceFree() {
            resume.accept(delivery);
        }
    }

    /** @param ticks the clock, in nanoseconds */
    public ConcurrencyLimit(int limit, LongSupplier ticks) {
        this.limit = limit;
        this.ticks = ticks;
        this.nextRetryAt = ticks.getAsLong();
    }

    /** @param resume called when a delivery that had to wait has its place */
    public synchronized <T> Entry enter(T delivery, Consumer<? super T> resume) {
        if (running < limit) {
            running++;
            return Entry.ENTERED;
        }
        if (waiting.isEmpty()) {
            loadedSince = ticks.getAsLong();
        }
        if (waiting.size() < waitingLimit()) {
            waiting.add(new Waiting<>(delivery, resume));
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

    /** After which time a delivery that was refused should be claimed again. */
    public synchronized Duration retryAfter() {
        long now = ticks.getAsLong();
        long nanosPerDelivery = loaded() / (placesGiven + 1);
        long halfOfThem = Math.min(LONGEST_DELAY, nanosPerDelivery * waiting.size() / 2);
        long first = now + Math.max(SHORTEST_DELAY, halfOfThem);
        if (nextRetryAt - first < 0 || nextRetryAt - now > LONGEST_DELAY) {
            nextRetryAt = first;
        }
        Duration delay = Duration.ofNanos(nextRetryAt - now);
        nextRetryAt += nanosPerDelivery / OPTIMISM;
        return delay;
    }

    /** A delivery that ran has ended; the first that waits takes its place. */
    public void leave() {
        Waiting<?> next = freePlace();
        if (next != null) {
            next.onPlaceFree();
        }
    }

    private synchronized @Nullable Waiting<?> freePlace() {
        Waiting<?> next = waiting.poll();
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

    /** Removes a delivery that waits. @return {@code false} if it does not wait: it runs, or has left */
    public synchronized boolean withdraw(Object delivery) {
        boolean withdrawn = waiting.removeIf(other -> other.delivery() == delivery);
        if (withdrawn && waiting.isEmpty()) {
            loadedNanos += ticks.getAsLong() - loadedSince;
        }
        return withdrawn;
    }
}
