package outbox.spring.boot;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.observation.transport.SenderContext;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import outbox.AsyncEventListener;
import outbox.BatchEventListener;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.WriterHook;
import outbox.domain.handler.HandlerInterceptor;
import outbox.listener.ControlledListener;

/**
 * Propagates the trace of the writer to the handlers through the table. Propagation fields such as {@code traceparent}
 * become headers of the event and are restored around the handler. Thread-safe.
 */
final class OutboxTracing implements WriterHook, HandlerInterceptor {
    private static final String PUBLISH = "outbox.publish";
    private static final String HANDLE = "outbox.handle";
    private static final String TYPE = "outbox.event.type";
    private static final String HANDLER = "outbox.handler";

    private final ObservationRegistry observations;

    OutboxTracing(ObservationRegistry observations) {
        this.observations = observations;
    }

    /** One observation for all events written at once. */
    @Override
    public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
        if (observations.isNoop()) {
            return events;
        }
        Map<String, String> trace = new LinkedHashMap<>();
        SenderContext<Map<String, String>> context = new SenderContext<>(
                (headers, name, value) -> {
                    if (headers != null) {
                        headers.put(name, value);
                    }
                },
                Kind.PRODUCER);
        context.setCarrier(trace);
        Observation.createNotStarted(PUBLISH, () -> context, observations)
                .contextualName("outbox publish")
                .lowCardinalityKeyValue(TYPE, typeOf(events))
                .start()
                .stop();
        return trace.isEmpty()
                ? events
                : events.stream().map(event -> with(trace, event)).toList();
    }

    private static EventEnvelope with(Map<String, String> trace, EventEnvelope event) {
        Map<String, String> headers = new LinkedHashMap<>(trace);
        headers.putAll(event.headers()); // headers set by the caller take precedence
        return event.toBuilder().headers(headers).build();
    }

    @Override
    public void around(Call call) throws Exception {
        observed(call.handler(), call.events()).observeChecked(call::proceed);
    }

    /** The same for a plain listener. Asynchronous and batch listeners are not wrapped. */
    EventListener traced(EventListener listener) {
        if (listener instanceof AsyncEventListener
                || listener instanceof BatchEventListener
                || listener instanceof ControlledListener) {
            return listener;
        }
        return event -> observed(listener.getClass().getSimpleName(), List.of(event))
                .observeChecked(() -> listener.onEvent(event));
    }

    /** Events of a batch may have different traces; the first one is continued. */
    private Observation observed(String handler, List<EventEnvelope> events) {
        ReceiverContext<Map<String, String>> context =
                new ReceiverContext<>((headers, name) -> headers == null ? null : headers.get(name), Kind.CONSUMER);
        context.setCarrier(events.get(0).headers());
        return Observation.createNotStarted(HANDLE, () -> context, observations)
                .contextualName("outbox handle")
                .lowCardinalityKeyValue(TYPE, typeOf(events))
                .lowCardinalityKeyValue(HANDLER, handler);
    }

    private static String typeOf(List<EventEnvelope> events) {
        String first = events.get(0).eventType();
        return events.stream().allMatch(event -> event.eventType().equals(first)) ? first : "several";
    }
}
