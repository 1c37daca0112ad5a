package outbox.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.TraceHeaders;
import outbox.model.EventStatus;
import outbox.testing.InMemoryOutboxStore;
import outbox.testing.InMemoryTxContext;

/** One trace, from the request that wrote an event to the server that receives it. */
class WebhookTraceTest {
    private static final W3CTraceContextPropagator W3C = W3CTraceContextPropagator.getInstance();
    private static final SpanContext REQUEST = SpanContext.create(
            "4bf92f3577b34da6a3ce929d0e0e4736",
            "00f067aa0ba902b7",
            TraceFlags.getSampled(),
            TraceState.builder().put("vendor", "x").build());
    private static final TextMapGetter<Receiver.Received> GETTER = new TextMapGetter<>() {
        @Override
        public String get(Receiver.Received request, String key) {
            return request == null ? null : request.header(key);
        }
    };

    @Test
    void aReceiverContinuesTheWritersTrace() {
        InMemoryOutboxStore store = new InMemoryOutboxStore();
        InMemoryTxContext transactions = store.txContext();
        try (Receiver receiver = Receiver.tls();
                WebhookClient client = TestClient.builder().build();
                Outbox outbox = Outbox.singleNode()
                        .store(store)
                        .connections(store.connectionProvider())
                        .transactions(transactions)
                        .listeners((aggregateType, eventType) -> client.publisher(
                                        TestClient.endpoint(receiver).build())
                                .controlled()
                                .build())
                        .writerHook(TraceHeaders.from(() -> {
                            Map<String, String> headers = new HashMap<>();
                            W3C.inject(Context.current(), headers, Map::put);
                            return headers;
                        }))
                        .build()
                        .start()) {
            try (Scope scope = Span.wrap(REQUEST).makeCurrent()) {
                transactions.inTransaction(() -> outbox.writer().write(EventEnvelope.ofJson("order.placed", "{}")));
            }
            await().atMost(Duration.ofMinutes(1)).until(() -> store.count(EventStatus.DONE) == 1);

            SpanContext seen = Span.fromContext(
                            W3C.extract(Context.root(), receiver.received().get(0), GETTER))
                    .getSpanContext();
            assertThat(seen.isRemote()).isTrue();
            assertThat(seen.getTraceId()).isEqualTo(REQUEST.getTraceId());
            assertThat(seen.getSpanId()).isEqualTo(REQUEST.getSpanId());
            assertThat(seen.getTraceState()).isEqualTo(REQUEST.getTraceState());
        }
    }
}
