package outbox.domain.handler;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.domain.handler.HandlerFixture.RowOutcome;
import outbox.domain.sample.OrderPlaced;

class TrackerAwayTest {
    private final HandlerFixture fixture = new HandlerFixture();
    private final List<String> calls = new ArrayList<>();
    private boolean readable = true;
    private boolean writable = true;
    private boolean failing;
    private Error broken;
    private String refused;

    class Shop {
        @EventHandler(name = "mail")
        void mail(OrderPlaced event) {
            calls.add("mail");
            if (failing) {
                throw new IllegalStateException("smtp down");
            }
        }

        @EventHandler(name = "stock")
        void stock(OrderPlaced event) {
            calls.add("stock");
        }
    }

    private final EventConsumptionTracker unreliable = new EventConsumptionTracker() {
        @Override
        public List<HandlerProgress> progressOf(String eventId) {
            check(readable);
            return fixture.tracker.progressOf(eventId);
        }

        @Override
        public void record(Collection<HandlerOutcome> outcomes) {
            check(writable);
            if (broken != null) {
                throw broken;
            }
            if (outcomes.stream().anyMatch(outcome -> outcome.eventId().equals(refused))) {
                throw new IllegalStateException("not this one");
            }
            fixture.tracker.record(outcomes);
        }

        @Override
        public void reset(String eventId, String handler) {
            fixture.tracker.reset(eventId, handler);
        }

        @Override
        public Set<String> openHandlers() {
            check(readable);
            return fixture.tracker.openHandlers();
        }

        private void check(boolean there) {
            if (!there) {
                throw new IllegalStateException("connection refused");
            }
        }
    };

    private final EventEnvelope event = fixture.envelope(new OrderPlaced("42", 100));

    private EventHandlers handlers() {
        return fixture.handlers(new Shop()).tracker(unreliable).build();
    }

    /** Something is stored about it, so that successes are. */
    private void calledBefore(EventEnvelope event) {
        fixture.tracker.record(List.of(
                new HandlerOutcome(event.eventId(), "mail", HandlerState.RETRY, 1, Duration.ZERO, "smtp down")));
    }

    @Test
    void whileProgressCanNotBeReadNoHandlerIsCalledAndTheEventComesBack() {
        EventHandlers handlers = handlers();
        readable = false;

        assertThat(fixture.deliver(handlers, event))
                .isInstanceOfSatisfying(
                        RowOutcome.Retry.class,
                        retry -> assertThat(retry.delay()).isEqualTo(OutcomeRecorder.InTracker.TRACKER_PAUSE));
        assertThat(calls).isEmpty();

        readable = true;
        assertThat(fixture.deliver(handlers, event)).isEqualTo(new RowOutcome.Done());
        assertThat(calls).containsExactly("mail", "stock");
    }

    @Test
    void aSuccessThatCanNotBeStoredMeansAtLeastOnceAndCountsNoAttempt() {
        EventHandlers handlers = handlers();
        calledBefore(event);
        writable = false;
        assertThat(fixture.deliver(handlers, event)).isInstanceOf(RowOutcome.Retry.class);

        writable = true;
        assertThat(fixture.deliver(handlers, event)).isEqualTo(new RowOutcome.Done());
        assertThat(calls).containsExactly("mail", "stock", "mail", "stock");
        assertThat(fixture.progress(event, "mail").attempts()).isEqualTo(2);
    }

    @Test
    void aFirstDeliveryInWhichAllSucceedNeedsNoTracker() {
        EventHandlers handlers = handlers();
        writable = false;

        assertThat(fixture.deliver(handlers, event)).isEqualTo(new RowOutcome.Done());
    }

    /** The row's outcome was refused by the database: nothing says that they succeeded. */
    @Test
    void afterACountedAttemptSuccessesAreStored() {
        EventHandlers handlers = handlers();

        assertThat(fixture.deliver(handlers, event.atAttempt(2))).isEqualTo(new RowOutcome.Done());
        assertThat(fixture.deliver(handlers, event.atAttempt(3))).isEqualTo(new RowOutcome.Done());

        assertThat(calls).containsExactly("mail", "stock");
    }

    @Test
    void aFailureThatCanNotBeStoredIsTriedAgain() {
        EventHandlers handlers = handlers();
        writable = false;
        failing = true;
        assertThat(fixture.deliver(handlers, event)).isInstanceOf(RowOutcome.Retry.class);

        writable = true;
        failing = false;
        assertThat(fixture.deliver(handlers, event)).isEqualTo(new RowOutcome.Done());
    }

    /** By a trigger, for instance. Otherwise its handler would be called every few seconds for ever. */
    @Test
    void anEventWhoseProgressTheTrackerRefusesWhileItTakesThatOfOthersIsDeadAfterItsAttempts() {
        EventHandlers handlers = handlers();
        calledBefore(event);
        refused = event.eventId();
        int limit = RetryRule.DEFAULT.maxAttempts();
        for (int pass = 1; pass <= limit; pass++) {
            assertThat(fixture.deliver(handlers, event)).as("pass %s", pass).isInstanceOf(RowOutcome.Retry.class);
            EventEnvelope other = fixture.envelope(new OrderPlaced("other-" + pass, 100));
            calledBefore(other);
            assertThat(fixture.deliver(handlers, other)).isEqualTo(new RowOutcome.Done());
        }

        assertThat(fixture.deliver(handlers, event))
                .isInstanceOfSatisfying(
                        RowOutcome.Dead.class,
                        dead -> assertThat(dead.error()).contains("'mail'").contains("could not be stored"));
    }

    @Test
    void whileTheTrackerTakesNothingAnEventWaitsHoweverOften() {
        EventHandlers handlers = handlers();
        calledBefore(event);
        writable = false;
        for (int pass = 1; pass <= 3 * RetryRule.DEFAULT.maxAttempts(); pass++) {
            assertThat(fixture.deliver(handlers, event)).isInstanceOf(RowOutcome.Retry.class);
        }
    }

    @Test
    @Timeout(60)
    void anErrorOfTheTrackerDoesNotStopItForEver() {
        EventHandlers handlers = handlers();
        calledBefore(event);
        broken = new NoClassDefFoundError("driver");
        assertThat(fixture.deliver(handlers, event)).isInstanceOf(RowOutcome.Retry.class);

        broken = null;
        assertThat(fixture.deliver(handlers, event)).isEqualTo(new RowOutcome.Done());
        assertThat(calls).containsExactly("mail", "stock", "mail", "stock");
    }

    @Test
    void withoutAThreadOutcomesAreStoredInThatOfTheCaller() {
        List<HandlerOutcome> stored = new ArrayList<>();
        ProgressWriter writer = new ProgressWriter(
                unreliable,
                task -> {
                    throw new InternalError("no thread is to be had");
                },
                new Outage());

        for (String handler : List.of("mail", "stock")) {
            HandlerOutcome done =
                    new HandlerOutcome(event.eventId(), handler, HandlerState.DONE, 1, Duration.ZERO, null);
            writer.write(done, () -> stored.add(done), e -> {});
        }

        assertThat(stored).hasSize(2);
    }

    @Test
    void theStartDoesNotFailBecauseTheTrackerIsAway() {
        readable = false;

        assertThat(handlers().unknownHandlers()).isEmpty();
    }
}
