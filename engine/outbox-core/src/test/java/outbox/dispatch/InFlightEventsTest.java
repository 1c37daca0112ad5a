package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.dispatch.QueuedEvent.Source;
import outbox.model.Lease;

/** How much an ordered dispatcher asks for, and when. */
class InFlightEventsTest {
    private static final Duration LEASE = Duration.ofSeconds(30);
    private final InFlightEvents inFlight =
            new InFlightEvents(10, 10, Long.MAX_VALUE, new OrderingKeys(() -> 0, LEASE), () -> 0, LEASE);

    @Test
    void whatOnlyWaitsToBeWrittenDoesNotHoldUpTheNextClaim() {
        List<Delivery> held = hold(10);
        assertThat(inFlight.coldRoom()).isZero();
        held.forEach(delivery -> inFlight.finished());
        assertThat(inFlight.coldRoom()).isEqualTo(10);
        held.forEach(delivery -> {
            inFlight.settled(delivery);
            inFlight.written();
        });
        assertThat(inFlight.coldRoom()).isEqualTo(10);
    }

    @Test
    void aClaimIsWorthWhileWhenHalfTheRoomIsFree() {
        List<Delivery> held = hold(10);
        inFlight.queues().resume(held.get(0));
        for (int i = 0; i < 4; i++) {
            inFlight.finished();
            assertThat(inFlight.isRoomWorthwhile()).isFalse();
        }
        inFlight.finished();
        assertThat(inFlight.isRoomWorthwhile()).isTrue();
    }

    @Test
    void aClaimIsWorthWhileWhenTheWorkersHaveNothingToDo() {
        hold(10);
        assertThat(inFlight.isRoomWorthwhile()).isFalse();
        inFlight.finished();
        assertThat(inFlight.isRoomWorthwhile()).isTrue();
    }

    private List<Delivery> hold(int count) {
        List<Delivery> held = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            QueuedEvent event = new QueuedEvent(EventEnvelope.ofJson("E", "{}"), Source.COLD, 0, new Lease("owner", 0));
            held.add(new Delivery(event, 0));
        }
        held.forEach(delivery -> inFlight.add(delivery, InFlightEvents.ALWAYS_CURRENT));
        return held;
    }

    @Test
    void whatComesBackFromAGateAfterTheDrainTakesNothingElseOutOfTheQueues() {
        List<Delivery> held = hold(2);
        assertThat(inFlight.drain()).isEmpty();
        inFlight.queues().offer(held.get(0));
        inFlight.resume(held.get(1));
        assertThat(inFlight.drain()).containsExactly(held.get(0));
    }
}
