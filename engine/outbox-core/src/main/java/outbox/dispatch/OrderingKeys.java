package outbox.dispatch;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.util.Ticks;

/**
 * Order per key inside this node: of the events of one aggregate only the first is with the workers, the others wait here
 * behind it. Events without an aggregate id have no order. The rules are in {@code docs/engine.md}, "Order". Thread-safe.
 *
 * <h2>When the first fails</h2>
 *
 * Those behind it are released with it. More of them may be on their way: a claim takes the rows that follow those leased by
 * this node, and it may have done so before all of that is written. So a key stays shut until the failure and everything
 * released behind it are in the database, and for leases that were taken before that. When those are over the key can be
 * forgotten.
 *
 * <h2>When a row is left leased</h2>
 *
 * A delivery may end here although its row may still be leased to this node: claims would take what follows it. The key
 * stays shut for all others until that lease is over, or until the row itself is claimed again, which puts it in front.
 */
final class OrderingKeys {
    private static final int FEW = 1000;

    private final LongSupplier ticks;
    private final long leaseNanos;
    private final Map<Key, Queue<Delivery>> keys = new HashMap<>(); // guarded by this
    private final Map<Key, Shut> shut = new HashMap<>(); // guarded by this
    private int sweepAt = FEW; // guarded by this

    OrderingKeys(LongSupplier ticks, Duration leaseTime) {
        this.ticks = ticks;
        this.leaseNanos = Ticks.in(leaseTime);
    }

    /** An aggregate. */
    record Key(String aggregateType, String aggregateId) {
        /** {@code null} for an event without an aggregate id, which is in no order. */
        static @Nullable Key of(EventEnvelope event) {
            String aggregateId = event.aggregateId();
            return aggregateId == null ? null : new Key(event.aggregateType(), aggregateId);
        }
    }

    /** What has left a key and is not in the database yet, and when the last of it was written, in ticks. */
    private static final class Shut {
        private final Set<Delivery> unwritten = new HashSet<>();
        private long lastWrittenAt;
        private final Map<String, Long> leasedUntil = new HashMap<>(2); // by event id

        /** @param lastWrittenAt so long ago that it keeps nobody out */
        Shut(long lastWrittenAt) {
            this.lastWrittenAt = lastWrittenAt;
        }

        boolean isOver(long now, long leaseNanos) {
            return unwritten.isEmpty()
                    && now - lastWrittenAt >= leaseNanos
                    && leasedUntil.values().stream().allMatch(until -> now - until >= leaseNanos);
        }

        boolean refuses(Delivery delivery) {
            return !unwritten.isEmpty()
                    || delivery.leasedAt() <= lastWrittenAt
                    || delivery.leasedAt() <= shutUntil(delivery);
        }

        long shutUntil(Delivery delivery) {
            long latest = Long.MIN_VALUE;
            for (Map.Entry<String, Long> left : leasedUntil.entrySet()) {
                if (!left.getKey().equals(delivery.eventId())) {
                    latest = Math.max(latest, left.getValue());
                }
            }
            return latest;
        }
    }

    /** What becomes of a delivery that came. */
    enum Place {
        /** It can go to the workers. */
        FREE,
        /** It waits here for its predecessor. */
        BEHIND,
        /** One before it failed: it must go back to the table. */
        REFUSED
    }

    synchronized Place enter(Delivery delivery) {
        Key key = Key.of(delivery.envelope());
        if (key == null) {
            return Place.FREE;
        }
        Shut failure = shut.get(key);
        if (failure != null) {
            if (failure.refuses(delivery)) {
                failure.unwritten.add(delivery);
                return Place.REFUSED;
            }
            shut.remove(key);
        }
        Queue<Delivery> waiting = keys.get(key);
        if (waiting == null) {
            keys.put(key, new ArrayDeque<>(4));
            return Place.FREE;
        }
        waiting.add(delivery);
        return Place.BEHIND;
    }

    /** The delivery in front is done. @return the one that follows it */
    synchronized @Nullable Delivery advance(Delivery done) {
        Key key = Key.of(done.envelope());
        Queue<Delivery> waiting = key == null ? null : keys.get(key);
        if (waiting == null) {
            return null;
        }
        Delivery next = waiting.poll();
        if (next == null) {
            keys.remove(key);
        }
        return next;
    }

    /** The delivery in front did not get through. @return those behind it, which cannot be delivered either */
    synchronized List<Delivery> shut(Delivery failed) {
        Key key = Key.of(failed.envelope());
        if (key == null) {
            return List.of();
        }
        Queue<Delivery> waiting = keys.remove(key);
        List<Delivery> followers = waiting == null ? List.of() : new ArrayList<>(waiting);
        Shut failure = shut.computeIfAbsent(key, same -> new Shut(ticks.getAsLong() - leaseNanos));
        failure.unwritten.add(failed);
        failure.unwritten.addAll(followers);
        sweep();
        return followers;
    }

    /** Most keys that failed here never come back: they are done elsewhere, or dead. */
    private void sweep() {
        if (shut.size() >= sweepAt) {
            long now = ticks.getAsLong();
            shut.values().removeIf(failure -> failure.isOver(now, leaseNanos));
            sweepAt = Math.max(FEW, 2 * shut.size());
        }
    }

    /** How many keys are shut, or remembered as such. */
    synchronized int shutCount() {
        return shut.size();
    }

    /** What left its key is in the database now, so later claims go by it. */
    synchronized void written(Delivery left, long now) {
        Shut failure = shutOf(left);
        if (failure != null && failure.unwritten.remove(left)) {
            failure.lastWrittenAt = Math.max(failure.lastWrittenAt, now);
        }
    }

    /** What left its key is not in the database, where the row may be leased to this node until that time. */
    synchronized void leftLeased(Delivery left, long until) {
        Shut failure = shutOf(left);
        if (failure != null && failure.unwritten.remove(left)) {
            failure.leasedUntil.put(left.eventId(), until);
        }
    }

    /** How long a delivery would be refused because of a row that was left leased, whatever is written meanwhile. */
    synchronized long shutFor(Delivery refused) {
        Shut failure = shutOf(refused);
        long until = failure == null ? Long.MIN_VALUE : failure.shutUntil(refused);
        return until == Long.MIN_VALUE ? 0 : Math.max(0, until - ticks.getAsLong());
    }

    private @Nullable Shut shutOf(Delivery delivery) {
        Key key = Key.of(delivery.envelope());
        return key == null ? null : shut.get(key);
    }

    /** Takes out everything that waits. */
    synchronized List<Delivery> drain() {
        List<Delivery> left = new ArrayList<>();
        keys.values().forEach(left::addAll);
        keys.clear();
        return left;
    }
}
