package outbox.domain;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The context of an event: its aggregate, and additional headers. Immutable.
 *
 * <pre>{@code
 * DomainEventContext.of("Order", order.id()).with(EventHeaders.OPERATOR, user.name())
 * }</pre>
 *
 * @param aggregateType {@code null} for that of the event
 * @param aggregateId {@code null} for that of the event
 */
public record DomainEventContext(
        @Nullable String aggregateType, @Nullable String aggregateId, Map<String, String> headers) {
    /** An empty context. */
    public static final DomainEventContext NONE = new DomainEventContext(null, null, Map.of());

    public DomainEventContext {
        headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
    }

    public static DomainEventContext of(@Nullable String aggregateType, @Nullable String aggregateId) {
        return new DomainEventContext(aggregateType, aggregateId, Map.of());
    }

    /** Adds a header; common names are in {@link EventHeaders}. */
    public DomainEventContext with(String header, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(Objects.requireNonNull(header, "header"), Objects.requireNonNull(value, "value"));
        return new DomainEventContext(aggregateType, aggregateId, more);
    }
}
