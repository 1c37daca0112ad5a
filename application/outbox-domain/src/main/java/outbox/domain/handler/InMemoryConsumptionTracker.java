package outbox.domain.handler;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Stores progress in memory, for development and tests. Thread-safe. */
public final class InMemoryConsumptionTracker implements EventConsumptionTracker {
    private final InstantSource clock;
    private final Map<Key, Stored> stored = new LinkedHashMap<>(); // guarded by this

    private record Key(String eventId, String handler) {}

    private record Stored(
            HandlerState state,
            int attempts,
            Instant due,
            @Nullable String error,
            Instant updatedAt) {}

    public InMemoryConsumptionTracker() {
        this(Clock.systemUTC());
    }

    public InMemoryConsumptionTracker(InstantSource clock) {
        this.clock = Objects.requireNonNull(clock, "clock");
    }

    @Override
    public synchronized List<HandlerProgress> progressOf(String eventId) {
        Instant now = clock.instant();
        return stored.entrySet().stream()
                .filter(entry -> entry.getKey().eventId().equals(eventId))
                .map(entry -> new HandlerProgress(
                        eventId,
                        entry.getKey().handler(),
                        entry.getValue().state(),
                        entry.getValue().attempts(),
                        Duration.between(now, entry.getValue().due()),
                        entry.getValue().error(),
                        entry.getValue().updatedAt()))
                .toList();
    }

    @Override
    public synchronized void record(Collection<HandlerOutcome> outcomes) {
        Instant now = clock.instant();
        for (HandlerOutcome outcome : outcomes) {
            Key key = new Key(outcome.eventId(), outcome.handler());
            Stored present = stored.get(key);
            if (present == null || present.state() != HandlerState.DONE) {
                String error = outcome.error() == null && present != null ? present.error() : outcome.error();
                stored.put(key, new Stored(outcome.state(), outcome.attempts(), now.plus(outcome.delay()), error, now));
            }
        }
    }

    @Override
    public synchronized void reset(String eventId, String handler) {
        stored.remove(new Key(eventId, handler));
    }

    @Override
    public synchronized Set<String> openHandlers() {
        return stored.entrySet().stream()
                .filter(entry -> entry.getValue().state().isOpen())
                .map(entry -> entry.getKey().handler())
                .collect(Collectors.toSet());
    }
}
