package outbox.spring.boot;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;
import outbox.AsyncEventListener;
import outbox.BatchEventListener;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.WriterHook;
import outbox.domain.EventHeaders;
import outbox.domain.handler.HandlerInterceptor;
import outbox.listener.ControlledListener;

/**
 * Stores entries of the writer's logging context as headers of its events, and restores them around handlers.
 * Thread-safe.
 */
final class MdcHeaders implements WriterHook, HandlerInterceptor {
    private final List<String> keys;

    MdcHeaders(List<String> keys) {
        this.keys = List.copyOf(keys);
    }

    @Override
    public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
        Map<String, String> context = new LinkedHashMap<>();
        for (String key : keys) {
            String value = MDC.get(key);
            if (value != null) {
                context.put(key, value);
            }
        }
        return context.isEmpty()
                ? events
                : events.stream().map(event -> with(context, event)).toList();
    }

    private static EventEnvelope with(Map<String, String> context, EventEnvelope event) {
        Map<String, String> headers = new LinkedHashMap<>(context);
        headers.putAll(event.headers()); // headers set by the caller take precedence
        EventEnvelope.Builder changed = event.toBuilder().headers(headers);
        return event.tenantId() == null
                ? changed.tenantId(context.get(EventHeaders.TENANT_ID)).build()
                : changed.build();
    }

    @Override
    public void around(Call call) throws Exception {
        Scope scope = new Scope(call.events());
        try {
            call.proceed();
        } finally {
            scope.end();
        }
    }

    /** The same for a plain listener. Asynchronous and batch listeners are not wrapped. */
    EventListener around(EventListener listener) {
        if (listener instanceof AsyncEventListener
                || listener instanceof BatchEventListener
                || listener instanceof ControlledListener) {
            return listener;
        }
        return event -> {
            Scope scope = new Scope(List.of(event));
            try {
                listener.onEvent(event);
            } finally {
                scope.end();
            }
        };
    }

    /** What the logging context has while events are handled; of a batch, what its events have in common. */
    private final class Scope {
        private final Map<String, @Nullable String> before = new LinkedHashMap<>();

        Scope(List<EventEnvelope> events) {
            for (String key : keys) {
                String value = events.get(0).headers().get(key);
                if (value != null
                        && events.stream()
                                .allMatch(event ->
                                        Objects.equals(value, event.headers().get(key)))) {
                    before.put(key, MDC.get(key));
                    MDC.put(key, value);
                }
            }
        }

        void end() {
            before.forEach((key, value) -> {
                if (value == null) {
                    MDC.remove(key);
                } else {
                    MDC.put(key, value);
                }
            });
        }
    }
}
