package outbox.domain.handler;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Tells a tracker that refuses the outcomes of one event from one that is away: the former takes those of other events
 * meanwhile. Thread-safe.
 */
final class Refusals {
    private static final int MOST = 1000;

    private final Map<Key, Refused> refused = new LinkedHashMap<>() { // guarded by this
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<Key, Refused> eldest) {
                    return size() > MOST;
                }
            };
    private long stores; // guarded by this

    private record Key(String eventId, String handler) {}

    /** @param stores how many there were when it was refused the last time */
    private record Refused(int times, long stores) {}

    private static Key key(HandlerOutcome outcome) {
        return new Key(outcome.eventId(), outcome.handler());
    }

    synchronized void stored(Collection<HandlerOutcome> outcomes) {
        stores++;
        outcomes.forEach(outcome -> refused.remove(key(outcome)));
    }

    /** It failed alone. */
    synchronized void refused(HandlerOutcome outcome) {
        Refused before = refused.get(key(outcome));
        int times = before == null ? 0 : before.times() + (stores > before.stores() ? 1 : 0);
        refused.put(key(outcome), new Refused(times, stores));
    }

    /** How often it was refused before others were stored. */
    synchronized int of(String eventId, String handler) {
        Refused times = refused.get(new Key(eventId, handler));
        return times == null ? 0 : times.times();
    }
}
