package outbox.dispatch;

import java.time.InstantSource;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import outbox.util.Ticks;

/**
 * In-flight ids in a map; with a time to live, an entry that was never released can be taken again. Thread-safe.
 *
 * <p>It serves those who share it: several dispatchers, or code of the user's own. What one dispatcher itself has in flight
 * it knows anyhow, and does not begin a second time however long its listener takes.
 */
public final class DefaultInFlightTracker implements InFlightTracker {
    private final ConcurrentMap<String, Long> acquiredAt = new ConcurrentHashMap<>();
    private final long ttlNanos;
    private final LongSupplier ticks;

    /** Entries stay until they are released. */
    public DefaultInFlightTracker() {
        this(0);
    }

    /** @param ttlMs after how many milliseconds an entry counts as stuck; 0 for never */
    public DefaultInFlightTracker(long ttlMs) {
        this(ttlMs, Ticks.systemClock());
    }

    DefaultInFlightTracker(long ttlMs, InstantSource clock) {
        if (ttlMs < 0) {
            throw new IllegalArgumentException("ttlMs must not be negative: " + ttlMs);
        }
        this.ttlNanos = TimeUnit.MILLISECONDS.toNanos(ttlMs);
        this.ticks = Ticks.of(clock);
    }

    @Override
    public boolean tryAcquire(String eventId) {
        Long now = ticks.getAsLong();
        Long since = acquiredAt.putIfAbsent(eventId, now);
        if (since == null) {
            return true;
        }
        return ttlNanos > 0 && now - since >= ttlNanos && acquiredAt.replace(eventId, since, now);
    }

    @Override
    public void release(String eventId) {
        acquiredAt.remove(eventId);
    }
}
