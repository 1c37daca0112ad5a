package outbox.domain.type;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.domain.DomainEvent;
import outbox.domain.DomainEventContext;
import outbox.domain.EventHeaders;

/**
 * Turns domain events into envelopes, the same way whoever publishes. Headers come from the {@link HeaderSource}, then
 * the {@link DomainEventContext}, then the event itself; later ones go before earlier ones. Thread-safe.
 */
public final class EventEnvelopes {
    private final EventTypes types;
    private final PayloadSerializer serializer;
    private final HeaderSource headerSource;

    public EventEnvelopes(EventTypes types, PayloadSerializer serializer) {
        this(types, serializer, HeaderSource.NONE);
    }

    public EventEnvelopes(EventTypes types, PayloadSerializer serializer, HeaderSource headerSource) {
        this.types = Objects.requireNonNull(types, "types");
        this.serializer = Objects.requireNonNull(serializer, "serializer");
        this.headerSource = Objects.requireNonNull(headerSource, "headerSource");
    }

    public EventEnvelope envelope(DomainEvent event, DomainEventContext context) {
        Map<String, String> headers = headers(event, context);
        return EventEnvelope.builder(types.nameOf(event.getClass()))
                .eventId(event.eventId())
                .occurredAt(event.occurredAt())
                .aggregateType(firstOf(context.aggregateType(), event.aggregateType()))
                .aggregateId(firstOf(context.aggregateId(), event.aggregateId()))
                .tenantId(headers.get(EventHeaders.TENANT_ID))
                .headers(headers)
                .payloadJson(serializer.serialize(event))
                .build();
    }

    public List<EventEnvelope> envelopes(List<? extends DomainEvent> events, DomainEventContext context) {
        return events.stream().map(event -> envelope(event, context)).toList();
    }

    private Map<String, String> headers(DomainEvent event, DomainEventContext context) {
        Map<String, String> headers = new LinkedHashMap<>();
        headerSource.headers().forEach((name, value) -> {
            if (value != null) {
                headers.put(name, value);
            }
        });
        headers.putAll(context.headers());
        String tenant = event.tenantId();
        if (tenant != null) {
            headers.put(EventHeaders.TENANT_ID, tenant);
        }
        headers.put(EventHeaders.VERSION, Integer.toString(types.versionOf(event)));
        return headers;
    }

    private static @Nullable String firstOf(@Nullable String first, @Nullable String second) {
        return first == null ? second : first;
    }
}
