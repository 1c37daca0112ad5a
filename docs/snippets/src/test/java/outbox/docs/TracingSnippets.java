package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.OutboxBuilder;
import outbox.TraceHeaders;
import outbox.testing.InMemoryOutboxStore;

class TracingSnippets {
    @Test
    void traced() {
        InMemoryOutboxStore store = new InMemoryOutboxStore();
        OutboxBuilder builder = outbox.Outbox.writerOnly()
                .store(store)
                .connections(store.connectionProvider())
                .transactions(store.txContext());
        // snippet: hook
        TraceHeaders hook = TraceHeaders.from(() -> {
            Map<String, String> headers = new HashMap<>();
            W3CTraceContextPropagator.getInstance().inject(Context.current(), headers, Map::put);
            return headers;
        });
        builder.writerHook(hook);
        // end
        SpanContext span = SpanContext.create(
                "4bf92f3577b34da6a3ce929d0e0e4736",
                "00f067aa0ba902b7",
                TraceFlags.getSampled(),
                TraceState.getDefault());
        try (Scope scope = Span.wrap(span).makeCurrent()) {
            assertThat(hook.beforeWrite(List.of(EventEnvelope.ofJson("E", "{}")))
                            .get(0)
                            .headers())
                    .containsEntry("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
        }
    }
}
