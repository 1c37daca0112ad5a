package outbox.domain;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What surrounds an event and is none of its own: the aggregate it comes from and headers that travel along. Immutable.
 *
 * <pre>{@code
 * DomainEventContext.of("Order", order.id()).with(EventHeaders.OPERATOR, user.name())
 * }</pre>
 *
 * @param aggregateType {@code null} for what the event says
 * @param aggregateId {@code null} for what the event says
 */
public record DomainEventContext(
        @Nullable String aggregateType, @Nullable String aggregateId, Map<String, String> headers) {
    /** Nothing but what the event itself says. */
    public static final DomainEventContext NONE = new DomainEventContext(null, null, Map.of());

    public DomainEventContext {
        headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
    }

    public static DomainEventContext of(@Nullable String aggregateType, @Nullable String aggregateId) {
        return new DomainEventContext(aggregateType, aggregateId, Map.of());
    }

    /** This context with one header more; names that are in common use are in {@link EventHeaders}. */
    public DomainEventContext with(String header, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(Objects.requireNonNull(header, "header"), Objects.requireNonNull(value, "value"));
        return new DomainEventContext(aggregateType, aggregateId, more);
    }
}
