package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.CountingMetrics;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.OutboxWriter;
import outbox.model.EventStatus;
import outbox.poller.OutboxPoller;
import outbox.spi.ClaimRequest;
import outbox.spi.Settlement;
import outbox.spi.UnitOfWork;
import outbox.testing.InMemoryOutboxStore;
import outbox.testing.InMemoryTxContext;
import outbox.testing.ManualClock;

/** An ordered node that was held up for longer than its leases last, turn by turn on a manual clock. */
class OrderedLeaseTest {
    private static final Duration LEASE = Duration.ofSeconds(10);

    private final ManualClock clock = new ManualClock();
    private final InMemoryOutboxStore store = new InMemoryOutboxStore(clock);
    private final InMemoryTxContext tx = store.txContext();
    private final OutboxWriter writer = new OutboxWriter(tx, store);
    private final CountingMetrics metrics = new CountingMetrics();
    private final List<String> delivered = new ArrayList<>();
    private final InFlightTracker inFlight = new DefaultInFlightTracker();
    private boolean failing;
    private final OutboxDispatcher dispatcher = dispatcher(this::deliver);
    private final OutboxPoller poller = poller(dispatcher);

    private OutboxDispatcher dispatcher(EventListener listener) {
        return OutboxDispatcher.builder()
                .outboxStore(store)
                .connectionProvider(this::connection)
                .listenerRegistry((aggregateType, eventType) -> listener)
                .inFlightTracker(inFlight)
                .metrics(metrics)
                .leaseTime(LEASE)
                .ordered(true)
                .clock(clock)
                .withoutThreads()
                .build();
    }

    private OutboxPoller poller(OutboxDispatcher of) {
        return OutboxPoller.builder()
                .outboxStore(store)
                .connectionProvider(store.connectionProvider())
                .handler(new DispatcherPollerHandler(of))
                .claimLocking(LEASE)
                .ordered(true)
                .clock(clock)
                .build();
    }

    private void deliver(EventEnvelope event) {
        if (failing) {
            throw new IllegalStateException("simulated failure");
        }
        delivered.add(event.payloadJson());
    }

    private Connection connection() throws SQLException {
        if (failing) {
            throw new SQLException("simulated: value too long", "22001");
        }
        return store.connectionProvider().getConnection();
    }

    private String write(int number) {
        EventEnvelope event = EventEnvelope.builder("E")
                .aggregateType("A")
                .aggregateId("1")
                .payloadJson(String.valueOf(number))
                .build();
        tx.inTransaction(() -> writer.write(event));
        return event.eventId();
    }

    private void round() {
        poller.poll();
        while (dispatcher.steps().workOnce()) {}
        dispatcher.steps().settleOnce();
    }

    private void holdUpWithTwoInHand() {
        write(1);
        write(2);
        poller.poll();
        clock.advance(LEASE.plusSeconds(1));
        while (dispatcher.steps().workOnce()) {}
        dispatcher.steps().settleOnce();
        assertThat(delivered).isEmpty();
    }

    @Test
    void whatItClaimsAnewItDeliversAtOnce() {
        holdUpWithTwoInHand();
        clock.advance(Duration.ofMillis(1));
        round();
        round();

        assertThat(delivered).containsExactly("1", "2");
        assertThat(dispatcher.steps().hasInFlight()).isFalse();
    }

    @Test
    void whatAnotherNodeTookOverIsFollowedWithoutHaste() throws Exception {
        holdUpWithTwoInHand();
        List<Settlement> done = new ArrayList<>();
        UnitOfWork.run(
                        store.connectionProvider(),
                        conn -> store.claimOrdered(conn, new ClaimRequest("other", LEASE, Duration.ZERO, 10)))
                .forEach(row -> done.add(new Settlement.Done(row.eventId())));
        UnitOfWork.run(store.connectionProvider(), conn -> store.settle(conn, "other", done));
        assertThat(store.count(EventStatus.DONE)).isEqualTo(2);
        String third = write(3);
        int before = metrics.coldEnqueued.get();
        for (int i = 0; i < 20; i++) {
            clock.advance(Duration.ofMillis(1));
            round();
        }

        assertThat(metrics.coldEnqueued.get() - before)
                .as("claims of an event this node must not deliver yet")
                .isLessThan(3);
        for (int i = 0; i < 12 && store.row(third).status() != EventStatus.DONE; i++) {
            clock.advance(Duration.ofSeconds(1));
            round();
        }
        assertThat(delivered).containsExactly("3");
    }

    @Test
    void aFailureThatCouldNotBeWrittenHoldsItsKeyUntilItsLeaseIsOver() {
        write(1);
        poller.poll();
        clock.advance(LEASE.dividedBy(2));
        failing = true;
        dispatcher.steps().workOnce();
        dispatcher.steps().settleOnce();
        failing = false;
        write(2);
        round();
        assertThat(delivered).isEmpty();
        clock.advance(LEASE.dividedBy(2).plusMillis(1));
        round();
        round();

        assertThat(delivered).containsExactly("1", "2");
    }

    /** The row is in the name of the node that must not deliver it, whose claims would take what follows it. */
    @Test
    void anEventStillInFlightWithAnotherDispatcherHoldsItsKeyUntilItsLeaseIsOver() {
        OutboxDispatcher slow = dispatcher(first -> {
            clock.advance(LEASE.plusMillis(1));
            round();
            write(2);
            clock.advance(Duration.ofMillis(1));
            round();
            deliver(first);
        });
        write(1);
        poller(slow).poll();
        slow.steps().workOnce();
        slow.steps().settleOnce();
        assertThat(delivered).containsExactly("1");
        clock.advance(LEASE);
        round();

        assertThat(delivered).containsExactly("1", "1", "2");
        assertThat(store.count(EventStatus.DONE)).isEqualTo(2);
    }

    @Test
    void aClaimLeaseThatOutlastsTheDispatchersIsRefused() {
        OutboxPoller.Builder longer = OutboxPoller.builder()
                .outboxStore(store)
                .connectionProvider(store.connectionProvider())
                .handler(new DispatcherPollerHandler(dispatcher))
                .claimLocking(LEASE.plusSeconds(1))
                .ordered(true);
        assertThatIllegalArgumentException()
                .isThrownBy(longer::build)
                .withMessageContaining("PT11S")
                .withMessageContaining("PT10S")
                .withMessageContaining("leaseTime");
    }
}
