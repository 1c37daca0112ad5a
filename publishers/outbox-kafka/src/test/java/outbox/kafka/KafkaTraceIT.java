package outbox.kafka;

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
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.TraceHeaders;
import outbox.model.EventStatus;
import outbox.testing.InMemoryOutboxStore;
import outbox.testing.InMemoryTxContext;
import outbox.testing.server.EmbeddedKafka;

/** One trace, from the request that wrote an event to the work of a consumer behind a real broker. */
class KafkaTraceIT {
    private static final W3CTraceContextPropagator W3C = W3CTraceContextPropagator.getInstance();
    private static final SpanContext REQUEST = SpanContext.create(
            "4bf92f3577b34da6a3ce929d0e0e4736",
            "00f067aa0ba902b7",
            TraceFlags.getSampled(),
            TraceState.builder().put("vendor", "x").build());
    private static final TextMapGetter<Headers> GETTER = new TextMapGetter<>() {
        @Override
        public String get(Headers headers, String key) {
            Header header = headers == null ? null : headers.lastHeader(key);
            return header == null ? null : new String(header.value());
        }
    };

    @Test
    void aConsumerContinuesTheWritersTrace() {
        String broker = EmbeddedKafka.shared();
        InMemoryOutboxStore store = new InMemoryOutboxStore();
        InMemoryTxContext transactions = store.txContext();
        try (KafkaPublisher publisher = KafkaPublisher.builder(broker)
                        .producer("max.block.ms", 30_000)
                        .build();
                Outbox outbox = Outbox.singleNode()
                        .store(store)
                        .connections(store.connectionProvider())
                        .transactions(transactions)
                        .listeners((aggregateType, eventType) ->
                                publisher.controlled().build())
                        .writerHook(TraceHeaders.from(() -> {
                            Map<String, String> headers = new HashMap<>();
                            W3C.inject(Context.current(), headers, Map::put);
                            return headers;
                        }))
                        .build()
                        .start()) {
            try (Scope scope = Span.wrap(REQUEST).makeCurrent()) {
                transactions.inTransaction(() -> outbox.writer()
                        .write(EventEnvelope.builder("order.placed")
                                .aggregateType("Traced")
                                .payloadJson("{}")
                                .build()));
            }
            await().atMost(Duration.ofSeconds(60)).until(() -> store.count(EventStatus.DONE) == 1);

            ConsumerRecord<String, String> record =
                    KafkaReader.all(broker, "outbox.event.Traced").get(0);
            SpanContext seen = Span.fromContext(W3C.extract(Context.root(), record.headers(), GETTER))
                    .getSpanContext();
            assertThat(seen.isRemote()).isTrue();
            assertThat(seen.getTraceId()).isEqualTo(REQUEST.getTraceId());
            assertThat(seen.getSpanId()).isEqualTo(REQUEST.getSpanId());
            assertThat(seen.getTraceState()).isEqualTo(REQUEST.getTraceState());
        }
    }
}
