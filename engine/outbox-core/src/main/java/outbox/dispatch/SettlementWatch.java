package outbox.dispatch;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import outbox.spi.Settlement;

/**
 * Sees how deliveries of a dispatcher end, from its making until it is closed: for callers that hand over events and wait
 * for them. Thread-safe.
 */
public final class SettlementWatch implements AutoCloseable {
    /** An event whose lease was lost ends without a settlement; so now and then it is looked whether it is still in flight. */
    private static final long LOOK_EVERY_MS = 50;

    private final Predicate<String> inFlight;
    private final Collection<SettlementWatch> watches;
    private final Map<String, Settlement> seen = new HashMap<>(); // guarded by this

    SettlementWatch(Predicate<String> inFlight, Collection<SettlementWatch> watches) {
        this.inFlight = inFlight;
        this.watches = watches;
    }

    synchronized void settled(Settlement settlement) {
        seen.put(settlement.eventId(), settlement);
        notifyAll();
    }

    /** Waits until none of these events is in flight any more. @return how they ended, as far as that was written here */
    public synchronized List<Settlement> await(Collection<String> eventIds) throws InterruptedException {
        for (String eventId : eventIds) {
            while (!seen.containsKey(eventId) && inFlight.test(eventId)) {
                wait(LOOK_EVERY_MS);
            }
        }
        return eventIds.stream().filter(seen::containsKey).map(seen::get).toList();
    }

    @Override
    public void close() {
        watches.remove(this);
    }
}
