package outbox.dispatch;

import java.util.concurrent.atomic.AtomicLong;
import outbox.dispatch.QueuedEvent.Source;

/**
 * How many bytes of payloads and headers a dispatcher has in flight: queued, with a listener, or about to be settled. Half
 * of the limit is for hot events and half for cold ones, so that neither keeps the other out. An event that is larger than
 * its half is taken when nothing else of its kind is in flight. Thread-safe.
 */
final class BytesInFlight {
    private final long most;
    private final AtomicLong hot = new AtomicLong();
    private final AtomicLong cold = new AtomicLong();

    /** @param limit for hot and cold together */
    BytesInFlight(long limit) {
        this.most = Math.max(1, limit / 2);
    }

    private AtomicLong of(Source source) {
        return source == Source.HOT ? hot : cold;
    }

    /** Whether there is room for this one. What was claimed was measured before, and may cross the limit by one row. */
    boolean hasRoomFor(Delivery delivery) {
        long now = of(delivery.source()).get();
        return now == 0 || (delivery.source() == Source.HOT ? now + delivery.size() <= most : now < most);
    }

    void add(Delivery delivery) {
        delivery.sizeCounts();
        of(delivery.source()).addAndGet(delivery.size());
    }

    /** Counts each delivery once, however often it is called. */
    void remove(Delivery delivery) {
        if (delivery.sizeNoLongerCounts()) {
            of(delivery.source()).addAndGet(-delivery.size());
        }
    }

    long coldRoom() {
        return Math.max(0, most - cold.get());
    }

    /** Whether a claim that is worth while finds room: the poller takes half of what is there for cold events. */
    boolean isColdRoomWorthwhile() {
        return coldRoom() >= most / 2;
    }
}
