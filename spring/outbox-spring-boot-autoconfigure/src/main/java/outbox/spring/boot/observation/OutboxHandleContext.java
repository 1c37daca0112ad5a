package outbox.spring.boot.observation;

import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import java.util.List;
import java.util.Map;
import outbox.EventEnvelope;

/** One call of a handler or listener. Used by one thread. */
public final class OutboxHandleContext extends ReceiverContext<Map<String, String>> {
    private final String handler;
    private final List<EventEnvelope> events;

    /** Events of a batch may have different traces; the first one is continued. */
    public OutboxHandleContext(String handler, List<EventEnvelope> events) {
        super((headers, name) -> headers == null ? null : headers.get(name), Kind.CONSUMER);
        this.handler = handler;
        this.events = List.copyOf(events);
        setCarrier(events.get(0).headers());
    }

    /** Name of the handler, or the class of the listener. */
    public String handler() {
        return handler;
    }

    /** One event, or those of a batch. */
    public List<EventEnvelope> events() {
        return events;
    }
}
