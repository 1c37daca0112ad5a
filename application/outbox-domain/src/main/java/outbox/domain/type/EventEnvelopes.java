package outbox.domain.type;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.PayloadHeaders;
import outbox.PayloadSource;
import outbox.domain.DomainEvent;
import outbox.domain.DomainEventContext;
import outbox.domain.EventHeaders;

/**
 * Converts events to envelopes. Headers come from the {@link HeaderSource}, then the {@link DomainEventContext}, then
 * the event itself; later ones override earlier ones. Thread-safe.
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

    /**
     * @param event a {@link DomainEvent}, or an object of another event type: it gets a new id and the current time
     * @throws IllegalArgumentException if it is no event
     */
    public EventEnvelope envelope(Object event, DomainEventContext context) {
        DomainEvent domainEvent = event instanceof DomainEvent own ? own : null;
        Map<String, String> headers = headers(event, domainEvent, context);
        EventEnvelope.Builder envelope = EventEnvelope.builder(types.nameOf(event.getClass()))
                .aggregateType(context.aggregateType())
                .aggregateId(context.aggregateId())
                .tenantId(headers.get(EventHeaders.TENANT_ID))
                .headers(headers);
        fill(envelope, event);
        if (domainEvent != null) {
            envelope.eventId(domainEvent.eventId())
                    .occurredAt(domainEvent.occurredAt())
                    .aggregateType(firstOf(context.aggregateType(), domainEvent.aggregateType()))
                    .aggregateId(firstOf(context.aggregateId(), domainEvent.aggregateId()));
        }
        return envelope.build();
    }

    /** What is too large for a row becomes a source, for an outbox with a claim check. */
    private void fill(EventEnvelope.Builder envelope, Object event) {
        for (PayloadFormat format : serializer.formats()) {
            if (format.supports(event.getClass())) {
                PayloadFormat.Encoded encoded = format.encode(event, types.nameOf(event.getClass()));
                envelope.header(PayloadHeaders.CONTENT_TYPE, format.contentType());
                encoded.headers().forEach(envelope::header);
                byte[] bytes = encoded.bytes();
                if (bytes.length > EventEnvelope.MAX_PAYLOAD_BYTES) {
                    envelope.payloadSource(PayloadSource.ofBytes(bytes));
                } else {
                    envelope.payloadBytes(bytes);
                }
                return;
            }
        }
        String json = serializer.serialize(event);
        PayloadSource large = json.length() > EventEnvelope.MAX_PAYLOAD_BYTES / 3 ? PayloadSource.ofJson(json) : null;
        if (large != null && large.size() > EventEnvelope.MAX_PAYLOAD_BYTES) {
            envelope.payloadSource(large);
        } else {
            envelope.payloadJson(json);
        }
    }

    public List<EventEnvelope> envelopes(List<?> events, DomainEventContext context) {
        return events.stream().map(event -> envelope(event, context)).toList();
    }

    private Map<String, String> headers(Object event, @Nullable DomainEvent domainEvent, DomainEventContext context) {
        Map<String, String> headers = new LinkedHashMap<>();
        headerSource.headers().forEach((name, value) -> {
            if (value != null) {
                headers.put(name, value);
            }
        });
        headers.putAll(context.headers());
        String tenant = domainEvent == null ? null : domainEvent.tenantId();
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
