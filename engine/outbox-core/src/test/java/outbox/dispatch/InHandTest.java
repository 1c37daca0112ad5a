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
class InHandTest {
    private final InHand inHand = new InHand(10, 10, Long.MAX_VALUE, new Lanes(() -> 0, Duration.ofSeconds(30)));

    @Test
    void whatOnlyWaitsToBeWrittenDoesNotHoldUpTheNextClaim() {
        List<Delivery> held = hold(10);
        assertThat(inHand.coldRoom()).isZero();
        held.forEach(delivery -> inHand.finished());
        assertThat(inHand.coldRoom()).isEqualTo(10);
        held.forEach(delivery -> {
            inHand.held().settled(delivery, true);
            inHand.written();
        });
        assertThat(inHand.coldRoom()).isEqualTo(10);
    }

    @Test
    void aClaimIsWorthWhileWhenHalfTheRoomIsFree() {
        List<Delivery> held = hold(10);
        inHand.queues().resume(held.get(0));
        for (int i = 0; i < 4; i++) {
            inHand.finished();
            assertThat(inHand.isRoomWorthwhile()).isFalse();
        }
        inHand.finished();
        assertThat(inHand.isRoomWorthwhile()).isTrue();
    }

    @Test
    void aClaimIsWorthWhileWhenTheWorkersHaveNothingToDo() {
        hold(10);
        assertThat(inHand.isRoomWorthwhile()).isFalse();
        inHand.finished();
        assertThat(inHand.isRoomWorthwhile()).isTrue();
    }

    private List<Delivery> hold(int count) {
        List<Delivery> held = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            QueuedEvent event = new QueuedEvent(EventEnvelope.ofJson("E", "{}"), Source.COLD, 0, new Lease("owner", 0));
            held.add(new Delivery(event, 0));
        }
        held.forEach(delivery -> inHand.held().hold(delivery, HeldEvents.ALWAYS_CURRENT));
        return held;
    }

    @Test
    void whatComesBackFromAGateAfterTheDrainTakesNothingElseOutOfTheQueues() {
        List<Delivery> held = hold(2);
        assertThat(inHand.drain()).isEmpty();
        inHand.queues().offer(held.get(0));
        inHand.resume(held.get(1));
        assertThat(inHand.drain()).containsExactly(held.get(0));
    }
}
