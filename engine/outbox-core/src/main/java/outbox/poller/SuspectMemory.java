package outbox.poller;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import outbox.model.FormerLease;
import outbox.model.OutboxEvent;

/**
 * Remembers which rows this node claimed as suspect. One whose lease runs out before its listener is called, because there
 * was no room or the claim was answered late, is claimed again as this node's own; it stays suspect, or the attempt that
 * ended its process would never count. Bounded: the oldest are forgotten. Not thread-safe.
 */
final class SuspectMemory {
    private static final int CAPACITY = 10_000;

    @SuppressWarnings("serial") // never serialized
    private final Map<String, Boolean> ids = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > CAPACITY;
        }
    };

    List<OutboxEvent> applyTo(List<OutboxEvent> claimed) {
        if (ids.isEmpty() && claimed.stream().noneMatch(OutboxEvent::suspect)) {
            return claimed;
        }
        return claimed.stream().map(this::applyTo).toList();
    }

    private OutboxEvent applyTo(OutboxEvent row) {
        return switch (row.formerLease()) {
            case NONE -> { // settled or released since
                ids.remove(row.eventId());
                yield row;
            }
            case OWN -> ids.containsKey(row.eventId()) ? row.heldBefore(FormerLease.OWN_AFTER_OTHER) : row;
            case OTHER, OWN_AFTER_OTHER -> {
                ids.put(row.eventId(), true);
                yield row;
            }
        };
    }
}
