package outbox.spring.boot.observation;

import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;
import java.util.List;
import java.util.Map;
import outbox.EventEnvelope;

/** Writing events: one observation for all events written at once. Used by one thread. */
public final class OutboxPublishContext extends SenderContext<Map<String, String>> {
    private final List<EventEnvelope> events;

    /** @param headers receives the fields of the trace, such as {@code traceparent} */
    public OutboxPublishContext(List<EventEnvelope> events, Map<String, String> headers) {
        super(
                (carrier, name, value) -> {
                    if (carrier != null) {
                        carrier.put(name, value);
                    }
                },
                Kind.PRODUCER);
        this.events = List.copyOf(events);
        setCarrier(headers);
    }

    /** At least one. */
    public List<EventEnvelope> events() {
        return events;
    }
}
