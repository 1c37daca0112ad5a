package outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TraceHeadersTest {
    private static final EventEnvelope EVENT = EventEnvelope.builder("E")
            .payloadJson("{}")
            .header("request-id", "r")
            .build();

    @Test
    void theWritersTraceGoesWithTheEvent() {
        TraceHeaders hook = TraceHeaders.from(() -> Map.of("traceparent", "p", "tracestate", "s"));
        EventEnvelope traced = hook.beforeWrite(List.of(EVENT)).get(0);
        assertThat(traced.headers()).isEqualTo(Map.of("request-id", "r", "traceparent", "p", "tracestate", "s"));
        assertThat(traced.eventId()).isEqualTo(EVENT.eventId());
    }

    @Test
    void aTraceTheEventHasAlreadyStaysWhole() {
        TraceHeaders hook = TraceHeaders.from(() -> Map.of("traceparent", "p", "tracestate", "s"));
        EventEnvelope own = EVENT.toBuilder().header("traceparent", "own").build();
        assertThat(hook.beforeWrite(List.of(own))).containsExactly(own).first().isSameAs(own);
    }

    @Test
    void withoutATraceNothingIsTouched() {
        List<EventEnvelope> events = List.of(EVENT);
        assertThat(TraceHeaders.from(Map::of).beforeWrite(events)).isSameAs(events);
    }
}
