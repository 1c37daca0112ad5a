package outbox.dispatch;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.LongSupplier;
import outbox.listener.ConcurrencyLimit;

/**
 * Limits of asynchronous listeners that have none of their own, one for each event type. Otherwise stages that do not
 * complete would use up all memory, or, with one limit for all, hold up the events of every other type. Thread-safe.
 */
final class AsyncLimits {
    /** Deliveries of one event type in flight. */
    static final int MOST = 1000;

    /** Types beyond these share a limit. */
    private static final int MOST_TYPES = 1000;

    private final int limit;
    private final LongSupplier ticks;
    private final ConcurrentMap<String, ConcurrencyLimit> byType = new ConcurrentHashMap<>();

    /** @param limit with order all events in flight share the room for claims, and one listener must leave some to the others */
    AsyncLimits(int limit, LongSupplier ticks) {
        this.limit = Math.max(1, Math.min(MOST, limit));
        this.ticks = ticks;
    }

    ConcurrencyLimit of(String eventType) {
        ConcurrencyLimit present = byType.get(eventType);
        return present != null
                ? present
                : byType.computeIfAbsent(
                        byType.size() < MOST_TYPES ? eventType : "", type -> new ConcurrencyLimit(limit, ticks));
    }
}
