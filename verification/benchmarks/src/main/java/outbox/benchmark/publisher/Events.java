package outbox.benchmark.publisher;

import java.util.List;
import java.util.stream.IntStream;
import outbox.AsyncEventListener;
import outbox.EventEnvelope;
import outbox.benchmark.Payloads;

/** The events publishers are measured with: the payload of the other scenarios, a thousand aggregates. */
final class Events {
    static final String AGGREGATE_TYPE = "Order";
    static final String EVENT_TYPE = "order.placed";
    private static final int KEYS = 1000;

    private Events() {}

    static List<EventEnvelope> make(int count) {
        return IntStream.range(0, count).mapToObj(Events::event).toList();
    }

    private static EventEnvelope event(int number) {
        return EventEnvelope.builder(EVENT_TYPE)
                .aggregateType(AGGREGATE_TYPE)
                .aggregateId("order-" + number % KEYS)
                .payloadJson(Payloads.of(number))
                .build();
    }

    /** Sends them through a publisher. */
    static InFlight.Send through(AsyncEventListener publisher, List<EventEnvelope> events) {
        return (number, answer) ->
                publisher.onEventAsync(events.get(number)).whenComplete((ignored, failure) -> answer.came(failure));
    }
}
