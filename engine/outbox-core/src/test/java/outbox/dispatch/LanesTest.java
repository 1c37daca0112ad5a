package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.dispatch.Lanes.Place;
import outbox.dispatch.QueuedEvent.Source;
import outbox.model.Lease;

class LanesTest {
    private final AtomicLong now = new AtomicLong();
    private final Lanes lanes = new Lanes(now::get, Duration.ofNanos(100));

    @Test
    void onlyTheFirstOfAKeyHasTheWayFree() {
        Delivery first = delivery("A", "1");
        Delivery second = delivery("A", "1");
        assertThat(lanes.enter(first)).isEqualTo(Place.FREE);
        assertThat(lanes.enter(second)).isEqualTo(Place.BEHIND);
        assertThat(lanes.enter(delivery("A", "2"))).isEqualTo(Place.FREE);
        assertThat(lanes.enter(delivery("B", "1"))).isEqualTo(Place.FREE);
        assertThat(lanes.advance(first)).isSameAs(second);
        assertThat(lanes.advance(second)).isNull();
        assertThat(lanes.enter(delivery("A", "1"))).isEqualTo(Place.FREE);
    }

    @Test
    void whenTheFirstFailsThoseBehindItLeaveInOrder() {
        Delivery first = delivery("A", "1");
        Delivery second = delivery("A", "1");
        Delivery third = delivery("A", "1");
        lanes.enter(first);
        lanes.enter(second);
        lanes.enter(third);
        assertThat(lanes.shut(first)).containsExactly(second, third);
    }

    @Test
    void keysThatFailedLongAgoAreForgotten() {
        for (int i = 0; i < 10_000; i++) {
            Delivery failed = delivery("A", "failed-" + i);
            lanes.enter(failed);
            lanes.shut(failed);
            lanes.written(failed, now.incrementAndGet());
        }
        assertThat(lanes.shutCount()).isLessThan(2000);
    }

    @Test
    void keysStrandedLongAgoAreForgotten() {
        for (int i = 0; i < 10_000; i++) {
            Delivery stranded = delivery("A", "stranded-" + i);
            lanes.enter(stranded);
            lanes.shut(stranded);
            lanes.stranded(stranded, now.incrementAndGet() + 100);
        }
        assertThat(lanes.shutCount()).isLessThan(2000);
    }

    @Test
    void aLaneStaysShutForLeasesTakenBeforeTheFailureWasWritten() {
        Delivery failed = delivery("A", "1");
        lanes.enter(failed);
        lanes.shut(failed);
        Delivery late = leased("A", "1", 50);
        assertThat(lanes.enter(late)).isEqualTo(Place.REFUSED);
        lanes.written(failed, 100);
        Delivery behindLate = leased("A", "1", 101);
        assertThat(lanes.enter(behindLate))
                .as("what was refused is not written yet")
                .isEqualTo(Place.REFUSED);
        lanes.written(late, 102);
        lanes.written(behindLate, 103);
        Delivery stale = leased("A", "1", 103);
        assertThat(lanes.enter(stale)).isEqualTo(Place.REFUSED);
        lanes.written(stale, 104);
        assertThat(lanes.enter(leased("A", "1", 105))).isEqualTo(Place.FREE);
        assertThat(lanes.enter(leased("A", "1", 106))).isEqualTo(Place.BEHIND);
    }

    @Test
    void eventsWithoutAnAggregateIdNeverWait() {
        assertThat(lanes.enter(delivery("A", null))).isEqualTo(Place.FREE);
        assertThat(lanes.enter(delivery("A", null))).isEqualTo(Place.FREE);
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
