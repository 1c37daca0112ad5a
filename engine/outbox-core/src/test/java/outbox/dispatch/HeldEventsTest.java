package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.dispatch.QueuedEvent.Source;
import outbox.model.Lease;

class HeldEventsTest {
    private final HeldEvents held = new HeldEvents();
    private final EventEnvelope event = EventEnvelope.ofJson("E", "{}");

    private Delivery leased(String owner, long at) {
        return new Delivery(new QueuedEvent(event, Source.COLD, 0, new Lease(owner, at)), at);
    }

    @Test
    void whatIsStillRunningGoesOnUnderTheNewerLeaseOfThisNodeAlsoUnderAnotherName() {
        Delivery running = leased("n/1", 10);
        held.hold(running);
        running.leaseLost();

        assertThat(held.hold(leased("n/2", 20))).isFalse();
        assertThat(running.owner()).isEqualTo("n/2");
        assertThat(running.leasedAt()).isEqualTo(20);
        assertThat(running.isLeaseLost()).isFalse();
    }

    @Test
    void whatWasClaimedIsTheNextAttemptOfOneThatIsFinishedHoweverTheirLeasesCompare() {
        Delivery finished = leased("n/1", 20);
        held.hold(finished);
        finished.finish();

        Delivery next = leased("n/1", 10);
        assertThat(held.hold(next)).isTrue();
        assertThat(held.contains(next)).isTrue();
    }

    @Test
    void anOlderLeaseChangesNothing() {
        Delivery running = leased("n/2", 20);
        held.hold(running);

        assertThat(held.hold(leased("n/1", 10))).isFalse();
        assertThat(running.owner()).isEqualTo("n/2");
        assertThat(running.leasedAt()).isEqualTo(20);
    }
}
