package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.CountingMetrics;
import outbox.EventEnvelope;
import outbox.OutboxWriter;
import outbox.model.EventStatus;
import outbox.model.Lease;
import outbox.poller.ClaimedEvent;
import outbox.poller.LeasedPollerHandler;
import outbox.poller.OutboxPoller;
import outbox.poller.OutboxPollerHandler;
import outbox.spi.ForwardingMetrics;
import outbox.spi.MetricsExporter;
import outbox.testing.InMemoryOutboxStore;
import outbox.testing.InMemoryTxContext;
import outbox.testing.ManualClock;

/** When an event may be delivered and by whom, to the millisecond: turn by turn on a manual clock. */
class LeaseTimesTest {
    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final Duration INSTANT = Duration.ofMillis(1);

    private final ManualClock clock = new ManualClock();
    private final InMemoryOutboxStore store = new InMemoryOutboxStore(clock);
    private final InMemoryTxContext tx = store.txContext();
    private final CountingMetrics metrics = new CountingMetrics();
    private final List<String> delivered = new ArrayList<>();
    private final List<Integer> attemptsWhenCalled = new ArrayList<>();
    private boolean databaseAway;
    private int failNext;
    private Runnable onSettled = () -> {};
    private final OutboxDispatcher dispatcher = dispatcher();
    private final DispatcherPollerHandler handler = new DispatcherPollerHandler(dispatcher);
    private final OutboxPoller poller = poller(handler);

    private OutboxPoller poller(OutboxPollerHandler of) {
        return OutboxPoller.builder()
                .outboxStore(store)
                .connectionProvider(store.connectionProvider())
                .handler(of)
                .claimLocking(LEASE)
                .clock(clock)
                .build();
    }

    private OutboxDispatcher dispatcher() {
        return OutboxDispatcher.builder()
                .outboxStore(store)
                .connectionProvider(this::connection)
                .listenerRegistry((aggregateType, eventType) -> event -> {
                    delivered.add(event.eventId());
                    attemptsWhenCalled.add(store.row(event.eventId()).event().attempts());
                })
                .metrics(new ForwardingMetrics() {
                    @Override
                    protected void forward(Consumer<MetricsExporter> report) {
                        report.accept(metrics);
                    }

                    @Override
                    public void recordSettlementSize(int size) {
                        onSettled.run();
                    }
                })
                .leaseTime(LEASE)
                .clock(clock)
                .withoutThreads()
                .build();
    }

    private Connection connection() throws SQLException {
        if (databaseAway || failNext-- > 0) {
            throw new SQLException("simulated: away", "08006");
        }
        return store.connectionProvider().getConnection();
    }

    private String write(OutboxDispatcher node, EventEnvelope event) {
        OutboxWriter writer = new OutboxWriter(tx, store, new DispatcherWriterHook(node));
        tx.inTransaction(() -> writer.write(event));
        return event.eventId();
    }

    private void round() {
        poller.poll();
        while (dispatcher.steps().workOnce()) {}
        dispatcher.steps().settleOnce();
    }

    @Test
    void whatADeadNodeHeldComesWithTheFirstPollAfterItsLease() {
        OutboxDispatcher dead = dispatcher();
        String id = write(dead, EventEnvelope.ofJson("E", "{}"));
        clock.advance(LEASE);
        round();
        assertThat(delivered).isEmpty();
        clock.advance(INSTANT);
        round();

        assertThat(delivered).containsExactly(id);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aDelayedEventComesWithTheFirstPollAfterItsTimeAndNotBefore(boolean relative) {
        Duration delay = Duration.ofMinutes(5);
        EventEnvelope.Builder event = EventEnvelope.builder("E").payloadJson("{}");
        String id = write(
                dispatcher,
                (relative
                                ? event.deliverAfter(delay)
                                : event.availableAt(clock.instant().plus(delay)))
                        .build());
        round();
        clock.advance(delay.minus(INSTANT));
        round();
        assertThat(delivered).isEmpty();
        clock.advance(INSTANT);
        round();

        assertThat(delivered).containsExactly(id);
    }

    @Test
    void aNodeThatCanNotRenewItsLeasesTakesNoNewOnesUntilItCan() {
        write(dispatcher, EventEnvelope.ofJson("E", "{}"));
        clock.advance(LEASE.dividedBy(2));
        databaseAway = true;
        dispatcher.steps().renewOnce();
        EventEnvelope later = EventEnvelope.ofJson("E", "{}");
        tx.inTransaction(() -> new OutboxWriter(tx, store).write(later));
        poller.poll();
        assertThat(store.row(later.eventId()).lockedBy()).isNull();
        databaseAway = false;
        dispatcher.steps().renewOnce();
        poller.poll();

        assertThat(store.row(later.eventId()).lockedBy()).isEqualTo(dispatcher.leaseOwner());
    }

    @Test
    void anEventWhoseLeaseRanOutInTheQueueIsNotDelivered() {
        String inTime = write(dispatcher, EventEnvelope.ofJson("E", "{}"));
        clock.advance(LEASE.minus(INSTANT));
        dispatcher.steps().workOnce();

        write(dispatcher, EventEnvelope.ofJson("E", "{}"));
        clock.advance(LEASE);
        dispatcher.steps().workOnce();
        assertThat(delivered).containsExactly(inTime);
        assertThat(metrics.leasesLost).hasValue(1);
    }

    @Test
    void whatTheHookBringsTooLateForARenewalIsLeftToThePoller() {
        DispatcherWriterHook hook = new DispatcherWriterHook(dispatcher);
        Lease lease = hook.lease();
        clock.advance(LEASE.dividedBy(2).minus(INSTANT));
        hook.afterCommit(List.of(EventEnvelope.ofJson("E", "{}")), lease);
        assertThat(dispatcher.inFlight()).isEqualTo(1);
        clock.advance(INSTANT);
        hook.afterCommit(List.of(EventEnvelope.ofJson("E", "{}")), lease);
        dispatcher.steps().settleOnce(); // gives it back

        assertThat(dispatcher.inFlight()).isEqualTo(1);
        assertThat(metrics.hotDropped).hasValue(1);
    }

    @Test
    void aBatchOfLeasesThatWasNotRenewedIsNotForgottenWhenALaterOneWorks() {
        for (int i = 0; i < 600; i++) { // renewed in two batches
            write(dispatcher, EventEnvelope.ofJson("E", "{}"));
        }
        clock.advance(LEASE.dividedBy(2));
        failNext = 1;
        dispatcher.steps().renewOnce();
        assertThat(metrics.leasesRenewed.get()).isPositive().isLessThan(600);
        EventEnvelope later = EventEnvelope.ofJson("E", "{}");
        tx.inTransaction(() -> new OutboxWriter(tx, store).write(later));
        poller.poll();
        assertThat(store.row(later.eventId()).lockedBy()).isNull();
        dispatcher.steps().renewOnce();
        poller.poll();

        assertThat(metrics.leasesRenewed).hasValue(600);
        assertThat(store.row(later.eventId()).lockedBy()).isEqualTo(dispatcher.leaseOwner());
    }

    @Test
    void whatWaitsToBeWrittenIsNotDeliveredAgainByTheNodeThatClaimsItAnew() {
        String id = write(dispatcher, EventEnvelope.ofJson("E", "{}"));
        dispatcher.steps().workOnce();
        clock.advance(LEASE.plus(INSTANT));
        round();

        assertThat(delivered).containsExactly(id);
        assertThat(store.row(id).status()).isEqualTo(EventStatus.DONE);
    }

    @Test
    void soItIsIfItWasWrittenBeforeTheClaimIsHandedOver() {
        String id = write(dispatcher, EventEnvelope.ofJson("E", "{}"));
        dispatcher.steps().workOnce();
        clock.advance(LEASE.plus(INSTANT));
        OutboxPoller slow = poller(handing(claimed -> {
            dispatcher.steps().settleOnce();
            return handler.handle(claimed);
        }));
        slow.poll();
        round();

        assertThat(delivered).containsExactly(id);
        assertThat(store.row(id).status()).isEqualTo(EventStatus.DONE);
    }

    @Test
    void aSuspectEventThatFoundNoRoomIsSuspectStill() {
        String id = write(dispatcher(), EventEnvelope.ofJson("E", "{}")); // by a node that dies
        clock.advance(LEASE.plus(INSTANT));
        AtomicBoolean room = new AtomicBoolean();
        OutboxPoller full = poller(handing(claimed -> room.get() ? handler.handle(claimed) : 0));
        full.poll();
        clock.advance(LEASE.plus(INSTANT));
        room.set(true);
        full.poll();
        round();

        assertThat(delivered).containsExactly(id);
        assertThat(attemptsWhenCalled)
                .as("its attempt is written before the call, should it end this process too")
                .containsExactly(1);
    }

    private LeasedPollerHandler handing(ToIntFunction<List<ClaimedEvent>> hand) {
        return new LeasedPollerHandler() {
            @Override
            public boolean handle(EventEnvelope event, int attempts) {
                return handler.handle(event, attempts);
            }

            @Override
            public int handle(List<ClaimedEvent> claimed) {
                return hand.applyAsInt(claimed);
            }

            @Override
            public int availableCapacity() {
                return handler.availableCapacity();
            }

            @Override
            public String leaseOwner() {
                return handler.leaseOwner();
            }

            @Override
            public void attached(Consumer<Duration> wakeUp, Duration leaseTime) {}

            @Override
            public Duration leaseTime() {
                return LEASE;
            }
        };
    }

    @Test
    void aLeaseThatEndedWithItsOutcomeIsNotLost() {
        write(dispatcher, EventEnvelope.ofJson("E", "{}"));
        clock.advance(LEASE.dividedBy(2));
        dispatcher.steps().workOnce();
        onSettled = dispatcher.steps()::renewOnce; // the outcome is in the table, and nobody was told yet
        dispatcher.steps().settleOnce();

        assertThat(delivered).hasSize(1);
        assertThat(metrics.leasesLost).hasValue(0);
    }
}
