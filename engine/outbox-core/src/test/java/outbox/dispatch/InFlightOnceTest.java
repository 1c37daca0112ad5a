package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.dispatch.QueuedEvent.Source;
import outbox.model.Lease;

class InFlightOnceTest {
    private final InFlightEvents inFlight =
            new InFlightEvents(10, 10, Long.MAX_VALUE, null, () -> 0, Duration.ofSeconds(30));
    private final EventEnvelope event = EventEnvelope.ofJson("E", "{}");

    private Delivery leased(String owner, long at) {
        return new Delivery(new QueuedEvent(event, Source.COLD, 0, new Lease(owner, at)), at);
    }

    @Test
    void whatIsStillRunningGoesOnUnderTheNewerLeaseOfThisNodeAlsoUnderAnotherName() {
        Delivery running = leased("n/1", 10);
        inFlight.add(running, InFlightEvents.ALWAYS_CURRENT);
        running.leaseLost();

        assertThat(inFlight.add(leased("n/2", 20), InFlightEvents.ALWAYS_CURRENT))
                .isFalse();
        assertThat(running.owner()).isEqualTo("n/2");
        assertThat(running.leasedAt()).isEqualTo(20);
        assertThat(running.isLeaseLost()).isFalse();
    }

    @Test
    void whatWasClaimedIsTheNextAttemptOfOneThatIsFinishedHoweverTheirLeasesCompare() {
        Delivery finished = leased("n/1", 20);
        inFlight.add(finished, InFlightEvents.ALWAYS_CURRENT);
        finished.finish();

        Delivery next = leased("n/1", 10);
        assertThat(inFlight.add(next, InFlightEvents.ALWAYS_CURRENT)).isTrue();
        assertThat(inFlight.contains(next)).isTrue();
    }

    @Test
    void anOlderLeaseChangesNothing() {
        Delivery running = leased("n/2", 20);
        inFlight.add(running, InFlightEvents.ALWAYS_CURRENT);

        assertThat(inFlight.add(leased("n/1", 10), InFlightEvents.ALWAYS_CURRENT))
                .isFalse();
        assertThat(running.owner()).isEqualTo("n/2");
        assertThat(running.leasedAt()).isEqualTo(20);
    }

    @Test
    void withoutALeaseOnlyWhatWasReadBeforeTheEndIsRefused() {
        long before = inFlight.moment();
        Delivery first = unleased();
        assertThat(inFlight.add(first, before)).isTrue();
        assertThat(inFlight.add(unleased(), before)).as("in flight").isFalse();
        inFlight.settled(first);

        assertThat(inFlight.add(unleased(), before)).as("read before it ended").isFalse();
        assertThat(inFlight.add(unleased(), InFlightEvents.BEFORE_ALL))
                .as("a late hook")
                .isFalse();
        assertThat(inFlight.add(unleased(), inFlight.moment()))
                .as("read after it ended")
                .isTrue();
    }

    @Test
    void whatWasLetGoWithoutAnOutcomeMayComeAgain() {
        long before = inFlight.moment();
        Delivery first = unleased();
        inFlight.add(first, before);
        inFlight.remove(first);

        assertThat(inFlight.add(unleased(), before)).isTrue();
    }

    private Delivery unleased() {
        return new Delivery(new QueuedEvent(event, Source.COLD, 0), 0);
    }
}
