package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.dispatch.OrderingKeys.Place;
import outbox.dispatch.QueuedEvent.Source;
import outbox.model.Lease;

class OrderingKeysTest {
    private final AtomicLong now = new AtomicLong();
    private final OrderingKeys keys = new OrderingKeys(now::get, Duration.ofNanos(100));

    @Test
    void onlyTheFirstOfAKeyHasTheWayFree() {
        Delivery first = delivery("A", "1");
        Delivery second = delivery("A", "1");
        assertThat(keys.enter(first)).isEqualTo(Place.FREE);
        assertThat(keys.enter(second)).isEqualTo(Place.BEHIND);
        assertThat(keys.enter(delivery("A", "2"))).isEqualTo(Place.FREE);
        assertThat(keys.enter(delivery("B", "1"))).isEqualTo(Place.FREE);
        assertThat(keys.advance(first)).isSameAs(second);
        assertThat(keys.advance(second)).isNull();
        assertThat(keys.enter(delivery("A", "1"))).isEqualTo(Place.FREE);
    }

    @Test
    void whenTheFirstFailsThoseBehindItLeaveInOrder() {
        Delivery first = delivery("A", "1");
        Delivery second = delivery("A", "1");
        Delivery third = delivery("A", "1");
        keys.enter(first);
        keys.enter(second);
        keys.enter(third);
        assertThat(keys.shut(first)).containsExactly(second, third);
    }

    @Test
    void keysThatFailedLongAgoAreForgotten() {
        for (int i = 0; i < 10_000; i++) {
            Delivery failed = delivery("A", "failed-" + i);
            keys.enter(failed);
            keys.shut(failed);
            keys.written(failed, now.incrementAndGet());
        }
        assertThat(keys.shutCount()).isLessThan(2000);
    }

    @Test
    void keysStrandedLongAgoAreForgotten() {
        for (int i = 0; i < 10_000; i++) {
            Delivery stranded = delivery("A", "stranded-" + i);
            keys.enter(stranded);
            keys.shut(stranded);
            keys.leftLeased(stranded, now.incrementAndGet() + 100);
        }
        assertThat(keys.shutCount()).isLessThan(2000);
    }

    @Test
    void aLaneStaysShutForLeasesTakenBeforeTheFailureWasWritten() {
        Delivery failed = delivery("A", "1");
        keys.enter(failed);
        keys.shut(failed);
        Delivery late = leased("A", "1", 50);
        assertThat(keys.enter(late)).isEqualTo(Place.REFUSED);
        keys.written(failed, 100);
        Delivery behindLate = leased("A", "1", 101);
        assertThat(keys.enter(behindLate))
                .as("what was refused is not written yet")
                .isEqualTo(Place.REFUSED);
        keys.written(late, 102);
        keys.written(behindLate, 103);
        Delivery stale = leased("A", "1", 103);
        assertThat(keys.enter(stale)).isEqualTo(Place.REFUSED);
        keys.written(stale, 104);
        assertThat(keys.enter(leased("A", "1", 105))).isEqualTo(Place.FREE);
        assertThat(keys.enter(leased("A", "1", 106))).isEqualTo(Place.BEHIND);
    }

    @Test
    void eventsWithoutAnAggregateIdNeverWait() {
        assertThat(keys.enter(delivery("A", null))).isEqualTo(Place.FREE);
        assertThat(keys.enter(delivery("A", null))).isEqualTo(Place.FREE);
    }

    private static Delivery delivery(String type, String id) {
        EventEnvelope event = EventEnvelope.builder("E")
                .aggregateType(type)
                .aggregateId(id)
                .payloadJson("{}")
                .build();
        return new Delivery(new QueuedEvent(event, Source.COLD, 0), 0);
    }

    private static Delivery leased(String type, String id, long at) {
        EventEnvelope event = EventEnvelope.builder("E")
                .aggregateType(type)
                .aggregateId(id)
                .payloadJson("{}")
                .build();
        return new Delivery(new QueuedEvent(event, Source.COLD, 0, new Lease("n", at)), at);
    }
}
