package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.dispatch.QueuedEvent.Source;
import outbox.model.Lease;

class HeldEventsTest {
    private final HeldEvents held = new HeldEvents(new BytesInFlight(Long.MAX_VALUE));
    private final EventEnvelope event = EventEnvelope.ofJson("E", "{}");

    private Delivery leased(String owner, long at) {
        return new Delivery(new QueuedEvent(event, Source.COLD, 0, new Lease(owner, at)), at);
    }

    @Test
    void whatIsStillRunningGoesOnUnderTheNewerLeaseOfThisNodeAlsoUnderAnotherName() {
        Delivery running = leased("n/1", 10);
        held.hold(running, HeldEvents.ALWAYS_CURRENT);
        running.leaseLost();

        assertThat(held.hold(leased("n/2", 20), HeldEvents.ALWAYS_CURRENT)).isFalse();
        assertThat(running.owner()).isEqualTo("n/2");
        assertThat(running.leasedAt()).isEqualTo(20);
        assertThat(running.isLeaseLost()).isFalse();
    }

    @Test
    void whatWasClaimedIsTheNextAttemptOfOneThatIsFinishedHoweverTheirLeasesCompare() {
        Delivery finished = leased("n/1", 20);
        held.hold(finished, HeldEvents.ALWAYS_CURRENT);
        finished.finish();

        Delivery next = leased("n/1", 10);
        assertThat(held.hold(next, HeldEvents.ALWAYS_CURRENT)).isTrue();
        assertThat(held.contains(next)).isTrue();
    }

    @Test
    void anOlderLeaseChangesNothing() {
        Delivery running = leased("n/2", 20);
        held.hold(running, HeldEvents.ALWAYS_CURRENT);

        assertThat(held.hold(leased("n/1", 10), HeldEvents.ALWAYS_CURRENT)).isFalse();
        assertThat(running.owner()).isEqualTo("n/2");
        assertThat(running.leasedAt()).isEqualTo(20);
    }

    @Test
    void withoutALeaseOnlyWhatWasReadBeforeTheEndIsRefused() {
        long before = held.moment();
        Delivery first = unleased();
        assertThat(held.hold(first, before)).isTrue();
        assertThat(held.hold(unleased(), before)).as("in hand").isFalse();
        held.settled(first, true);

        assertThat(held.hold(unleased(), before)).as("read before it ended").isFalse();
        assertThat(held.hold(unleased(), HeldEvents.BEFORE_ALL))
                .as("a late hook")
                .isFalse();
        assertThat(held.hold(unleased(), held.moment()))
                .as("read after it ended")
                .isTrue();
    }

    @Test
    void whatWasLetGoWithoutAnOutcomeMayComeAgain() {
        long before = held.moment();
        Delivery first = unleased();
        held.hold(first, before);
        held.letGo(first);

        assertThat(held.hold(unleased(), before)).isTrue();
    }

    private Delivery unleased() {
        return new Delivery(new QueuedEvent(event, Source.COLD, 0), 0);
    }
}
