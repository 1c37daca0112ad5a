package outbox.torture;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import outbox.torture.Ledger.Delivery;

/**
 * How long those events had to wait that a fault concerned.
 *
 * <p>A node that dies or freezes holds events; each is measured from the last such blow to its next delivery, by
 * whomever. What the dead node had delivered and not marked comes again and is measured too.
 */
public final class Recovery {
    private final Map<String, Long> lastBlow = new HashMap<>();
    private long worst = -1;

    /** A node that held these events was struck. */
    public void struck(long at, Set<String> held) {
        held.forEach(id -> lastBlow.put(id, at));
        worst = Math.max(worst, 0);
    }

    /** Something took this long to be well again. */
    public void took(long nanos) {
        worst = Math.max(worst, Math.max(0, nanos));
    }

    /** @return in nanoseconds, or -1 if there was nothing to recover from */
    long worst(Ledger ledger) {
        Map<String, List<Delivery>> deliveries = new HashMap<>();
        ledger.first().values().forEach(delivery -> collect(deliveries, delivery));
        ledger.again().forEach(delivery -> collect(deliveries, delivery));
        deliveries.forEach((id, all) -> {
            long blow = lastBlow.getOrDefault(id, Long.MAX_VALUE);
            all.stream()
                    .mapToLong(Delivery::ended)
                    .filter(ended -> ended > blow)
                    .min()
                    .ifPresent(ended -> took(ended - blow));
        });
        return worst;
    }

    private void collect(Map<String, List<Delivery>> into, Delivery delivery) {
        if (lastBlow.containsKey(delivery.eventId())) {
            into.computeIfAbsent(delivery.eventId(), id -> new ArrayList<>()).add(delivery);
        }
    }
}
