package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.dispatch.QueuedEvent.Source;

class LanesTest {
    private final Lanes lanes = new Lanes();

    @Test
    void onlyTheFirstOfAKeyHasTheWayFree() {
        Delivery first = delivery("A", "1");
        Delivery second = delivery("A", "1");
        assertThat(lanes.enter(first)).isTrue();
        assertThat(lanes.enter(second)).isFalse();
        assertThat(lanes.enter(delivery("A", "2"))).isTrue();
        assertThat(lanes.enter(delivery("B", "1"))).isTrue();
        assertThat(lanes.advance(first)).isSameAs(second);
        assertThat(lanes.advance(second)).isNull();
        assertThat(lanes.enter(delivery("A", "1"))).isTrue();
    }

    @Test
    void whenTheFirstFailsThoseBehindItLeaveInOrder() {
        Delivery first = delivery("A", "1");
        Delivery second = delivery("A", "1");
        Delivery third = delivery("A", "1");
        lanes.enter(first);
        lanes.enter(second);
        lanes.enter(third);
        assertThat(lanes.close(first)).containsExactly(second, third);
        assertThat(lanes.enter(delivery("A", "1"))).isTrue();
    }

    @Test
    void eventsWithoutAnAggregateIdNeverWait() {
        assertThat(lanes.enter(delivery("A", null))).isTrue();
        assertThat(lanes.enter(delivery("A", null))).isTrue();
    }

    private static Delivery delivery(String type, String id) {
        EventEnvelope event = EventEnvelope.builder("E")
                .aggregateType(type)
                .aggregateId(id)
                .payloadJson("{}")
                .build();
        return new Delivery(new QueuedEvent(event, Source.COLD, 0), 0);
    }
}
