package outbox.control.source;

import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Filter of an event list; {@code null} means any. Texts match exactly, or as a prefix if they end with {@code *};
 * {@code error} matches anywhere in the stored error.
 *
 * @param states empty for all
 * @param from the earliest time of creation
 * @param to the latest time of creation
 */
public record EventFilter(
        Set<EventState> states,
        @Nullable String id,
        @Nullable String type,
        @Nullable String aggregateType,
        @Nullable String aggregateId,
        @Nullable String tenant,
        @Nullable String error,
        @Nullable Instant from,
        @Nullable Instant to) {
    /** Everything. */
    public static final EventFilter ALL = new EventFilter(Set.of(), null, null, null, null, null, null, null, null);

    public EventFilter {
        states = states.isEmpty() ? Set.of() : Set.copyOf(states);
    }

    public EventFilter withStates(EventState first, EventState... more) {
        return withStates(EnumSet.of(first, more));
    }

    public EventFilter withStates(Set<EventState> states) {
        return new EventFilter(states, id, type, aggregateType, aggregateId, tenant, error, from, to);
    }

    public EventFilter withId(String id) {
        return new EventFilter(states, id, type, aggregateType, aggregateId, tenant, error, from, to);
    }

    public EventFilter withType(String type) {
        return new EventFilter(states, id, type, aggregateType, aggregateId, tenant, error, from, to);
    }

    public EventFilter withAggregate(@Nullable String aggregateType, @Nullable String aggregateId) {
        return new EventFilter(states, id, type, aggregateType, aggregateId, tenant, error, from, to);
    }

    public EventFilter withTenant(String tenant) {
        return new EventFilter(states, id, type, aggregateType, aggregateId, tenant, error, from, to);
    }

    public EventFilter withError(String error) {
        return new EventFilter(states, id, type, aggregateType, aggregateId, tenant, error, from, to);
    }

    public EventFilter createdBetween(@Nullable Instant from, @Nullable Instant to) {
        return new EventFilter(states, id, type, aggregateType, aggregateId, tenant, error, from, to);
    }
}
