package outbox;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Stores the writer's trace with each event, as headers: {@code traceparent} and {@code tracestate} of the W3C. Publishers
 * pass them on, so that a consumer on the other side of a broker continues the trace. A header the event has already
 * stays. Thread-safe as far as the source is.
 *
 * <pre>{@code
 * builder.writerHook(TraceHeaders.from(() -> {
 *     Map<String, String> headers = new HashMap<>();
 *     W3CTraceContextPropagator.getInstance().inject(Context.current(), headers, Map::put);
 *     return headers;
 * }));
 * }</pre>
 */
public final class TraceHeaders implements WriterHook {
    private final Supplier<? extends Map<String, String>> current;

    private TraceHeaders(Supplier<? extends Map<String, String>> current) {
        this.current = Objects.requireNonNull(current, "current");
    }

    /** @param current asked on the writing thread, once per batch; empty where nothing is traced */
    public static TraceHeaders from(Supplier<? extends Map<String, String>> current) {
        return new TraceHeaders(current);
    }

    @Override
    public @Nullable List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
        Map<String, String> trace = current.get();
        return trace.isEmpty()
                ? events
                : events.stream().map(event -> traced(event, trace)).toList();
    }

    /** Trace headers belong together: an event that comes with one of them keeps its own trace. */
    private static EventEnvelope traced(EventEnvelope event, Map<String, String> trace) {
        for (String name : trace.keySet()) {
            if (event.headers().containsKey(name)) {
                return event;
            }
        }
        Map<String, String> headers = new LinkedHashMap<>(event.headers());
        headers.putAll(trace);
        return event.toBuilder().headers(headers).build();
    }
}
