package outbox.spring.boot;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
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
import outbox.spring.boot.observation.OutboxHandleContext;
import outbox.spring.boot.observation.OutboxPublishContext;

/**
 * Propagates the trace of the writer to the handlers through the table. Propagation fields such as {@code traceparent}
 * become headers of the event and are restored around the handler. Thread-safe.
 */
final class OutboxTracing implements WriterHook, HandlerInterceptor {
    private final ObservationRegistry observations;
    private final OutboxConventionChoice conventions;

    OutboxTracing(ObservationRegistry observations, OutboxConventionChoice conventions) {
        this.observations = observations;
        this.conventions = conventions;
    }

    /** One observation for all events written at once. */
    @Override
    public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
        if (observations.isNoop()) {
            return events;
        }
        Map<String, String> trace = new LinkedHashMap<>();
        OutboxPublishContext context = new OutboxPublishContext(events, trace);
        Observation.createNotStarted(conventions.ownPublish(), conventions.publish(), () -> context, observations)
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

    private Observation observed(String handler, List<EventEnvelope> events) {
        return Observation.createNotStarted(
                conventions.ownHandle(),
                conventions.handle(),
                () -> new OutboxHandleContext(handler, events),
                observations);
    }
}
