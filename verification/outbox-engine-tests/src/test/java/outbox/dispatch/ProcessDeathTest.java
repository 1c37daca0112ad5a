package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.BatchEventListener;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.NotAttemptedException;
import outbox.OutboxWriter;
import outbox.model.EventStatus;
import outbox.poller.OutboxPoller;
import outbox.spi.FailedDelivery;
import outbox.testing.InMemoryOutboxStore;
import outbox.testing.InMemoryRow;
import outbox.testing.ManualClock;

/** An event that ends its process does not end every process: nodes without threads, which die when told to. */
class ProcessDeathTest {
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final int MAX_ATTEMPTS = 3;

    private final ManualClock clock = new ManualClock();
    private final InMemoryOutboxStore store = new InMemoryOutboxStore(clock);
    private final List<String> calls = new ArrayList<>();
    private final List<FailedDelivery> failures = new ArrayList<>();
    private boolean ordered;
    private boolean died;

    /** What a process that dies leaves behind is what it did not get to: nothing after this is done by its node. */
    private static final class Halt extends Error {
        private static final long serialVersionUID = 1L;
    }

    private final class Node {
        private final OutboxDispatcher dispatcher;
        private final OutboxPoller poller;

        Node(EventListener listener, boolean single) {
            dispatcher = OutboxDispatcher.builder()
                    .outboxStore(store)
                    .connectionProvider(store.connectionProvider())
                    .listenerRegistry((aggregateType, eventType) -> listener)
                    .maxAttempts(MAX_ATTEMPTS)
                    .retryPolicy(attempts -> 1000)
                    .failureListener(failed -> {
                        if (!died) {
                            failures.add(failed);
                        }
                    })
                    .leaseTime(LEASE)
                    .ordered(ordered)
                    .clock(clock)
                    .withoutThreads()
                    .build();
            OutboxPoller.Builder poll = OutboxPoller.builder()
                    .outboxStore(store)
                    .connectionProvider(store.connectionProvider())
                    .handler(new DispatcherPollerHandler(dispatcher))
                    .ordered(ordered)
                    .clock(clock);
            poller = (single ? poll : poll.claimLocking(LEASE)).build();
        }

        void write(List<EventEnvelope> events) {
            var tx = store.txContext();
            tx.inTransaction(() -> new OutboxWriter(tx, store, new DispatcherWriterHook(dispatcher)).writeAll(events));
        }

        /** Works until there is nothing more to do, or until it dies. */
        Node live() {
            died = false;
            poller.poll();
            while (!died
                    && (dispatcher.steps().workOnce()
                            || (!died && dispatcher.steps().settleOnce()))) {}
            return this;
        }
    }

    private EventListener listener() {
        return event -> {
            calls.add(event.eventType());
            if (event.eventType().equals("Kills")) {
                died = true;
                throw new Halt();
            }
            if (event.eventType().equals("Fails")) {
                throw new IllegalStateException("down");
            }
            if (event.eventType().equals("NotNow")) {
                throw new NotAttemptedException(Duration.ofSeconds(1), "later", null);
            }
        };
    }

    private Node node() {
        return new Node(listener(), false);
    }

    private void leasesRunOut() {
        clock.advance(LEASE.plusSeconds(1));
    }

    private static EventEnvelope event(String type) {
        return EventEnvelope.builder(type)
                .aggregateType("A")
                .aggregateId("k")
                .payloadJson("{}")
                .build();
    }

    private InMemoryRow row(EventEnvelope event) {
        return store.row(event.eventId());
    }

    private long calledWith(String type) {
        return calls.stream().filter(type::equals).count();
    }

    @Test
    void anEventThatEndsItsProcessIsDeadAfterItsAttempts() {
        EventEnvelope killer = event("Kills");
        Node first = node();
        first.write(List.of(killer));
        first.live();
        for (int attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
            leasesRunOut();
            node().live();
            assertThat(row(killer).event().attempts()).isEqualTo(attempt);
        }
        leasesRunOut();
        node().live();

        assertThat(died).isFalse();
        assertThat(row(killer).status()).isEqualTo(EventStatus.DEAD);
        assertThat(row(killer).event().attempts()).isEqualTo(MAX_ATTEMPTS);
        assertThat(row(killer).lastError())
                .contains("ProcessDiedException", "the process died while it was delivering this event", "attempt 3");
        assertThat(calls)
                .as("once before anybody knew, then as often as it may")
                .hasSize(1 + MAX_ATTEMPTS);
        assertThat(failures)
                .singleElement()
                .satisfies(failed -> assertThat(failed.attempt()).isEqualTo(MAX_ATTEMPTS));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void goodEventsAroundItAreDeliveredAndLoseOneAttemptAtMost(boolean single) {
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            events.add(event(i == 7 ? "Kills" : "Good"));
        }
        Node first = new Node(listener(), single);
        first.write(events);
        first.live();
        for (int life = 0; life < 1 + MAX_ATTEMPTS; life++) {
            if (!single) {
                leasesRunOut(); // one that is alone takes over at once
            }
            new Node(listener(), single).live();
        }

        assertThat(store.count(EventStatus.DONE)).isEqualTo(19);
        assertThat(row(events.get(7)).status()).isEqualTo(EventStatus.DEAD);
        assertThat(calledWith("Kills")).isEqualTo(1 + MAX_ATTEMPTS);
        assertThat(events)
                .filteredOn(event -> event.eventType().equals("Good"))
                .allSatisfy(good -> assertThat(row(good).event().attempts())
                        .as("the attempt that succeeded, and at most one beside the killer")
                        .isLessThanOrEqualTo(2));
    }

    @Test
    void freshEventsComeBeforeSuspectOnesThatWait() {
        Node dead = node();
        List<EventEnvelope> left = List.of(event("Left"), event("Left"), event("Left"), event("Left"), event("Left"));
        dead.write(left);
        leasesRunOut();
        Node next = node();
        next.poller.poll();
        next.write(List.of(event("Fresh")));
        next.live();

        assertThat(calls).hasSize(6);
        assertThat(calls.indexOf("Fresh")).isLessThan(5);
        assertThat(store.count(EventStatus.DONE)).isEqualTo(6);
    }

    @Test
    void afterAnOrderlyStopNothingIsSuspect() {
        EventEnvelope event = event("Good");
        Node first = node();
        first.write(List.of(event));
        first.dispatcher.close();
        first.dispatcher.steps().settleOnce();
        Node next = node();
        next.poller.poll();

        assertThat(next.dispatcher.inFlight()).isEqualTo(1);
        next.live();
        assertThat(row(event).status()).isEqualTo(EventStatus.DONE);
        assertThat(row(event).event().attempts()).isZero();
    }

    @Test
    void anEventOfATransactionLongerThanItsLeaseIsNotSuspect() {
        EventEnvelope event = event("Good");
        Node writing = node();
        var tx = store.txContext();
        tx.inTransaction(() -> {
            new OutboxWriter(tx, store, new DispatcherWriterHook(writing.dispatcher)).write(event);
            leasesRunOut();
        });
        node().live();

        assertThat(calls).containsExactly("Good");
        assertThat(row(event).status()).isEqualTo(EventStatus.DONE);
        assertThat(row(event).event().attempts())
                .as("attempts written before the call")
                .isZero();
    }

    @Test
    void anEventThatItsOwnNodeClaimsAnewIsNotSuspect() {
        EventEnvelope event = event("Good");
        Node node = node();
        node.write(List.of(event));
        leasesRunOut();
        node.dispatcher.steps().workOnce(); // too late for it
        assertThat(calls).isEmpty();
        node.live();

        assertThat(calls).containsExactly("Good");
        assertThat(row(event).event().attempts())
                .as("attempts written before the call")
                .isZero();
    }

    @Test
    void anAttemptThatFailsCountsOnce() {
        EventEnvelope event = event("Fails");
        node().write(List.of(event));
        leasesRunOut();
        node().live();

        assertThat(row(event).status()).isEqualTo(EventStatus.RETRY);
        assertThat(row(event).event().attempts()).isEqualTo(1);
    }

    @Test
    void anAttemptThatWasNotMadeDoesNotCount() {
        EventEnvelope event = event("NotNow");
        node().write(List.of(event));
        leasesRunOut();
        node().live();

        assertThat(calls).hasSize(1);
        assertThat(row(event).event().attempts()).isZero();
        assertThat(row(event).lockedBy()).isNull();
    }

    @Test
    void aSuspectOneWhoseLeaseIsLostIsNotCalled() throws SQLException {
        EventEnvelope event = event("Good");
        node().write(List.of(event));
        leasesRunOut();
        Node slow = node();
        slow.poller.poll();
        try (Connection conn = store.connectionProvider().getConnection()) {
            store.expireOthers(conn, "nobody");
        }
        Node other = node();
        other.poller.poll();
        slow.live();
        assertThat(calls).isEmpty();

        other.live();
        assertThat(calls).containsExactly("Good");
        assertThat(row(event).status()).isEqualTo(EventStatus.DONE);
    }

    @Test
    void suspectOnesAreNotDeliveredInOneBatch() {
        List<Integer> sizes = new ArrayList<>();
        BatchEventListener batch = events -> sizes.add(events.size());
        node().write(List.of(event("A"), event("B"), event("C")));
        leasesRunOut();
        new Node(batch, false).live();

        assertThat(sizes).containsExactly(1, 1, 1);
    }

    @Test
    void theOrderOfAKeyStays() {
        ordered = true;
        Node first = node();
        EventEnvelope killer = event("Kills");
        EventEnvelope behind = event("Behind");
        first.write(List.of(event("First"), killer, behind));
        for (int life = 0; life < 2 + MAX_ATTEMPTS; life++) {
            node().live();
            leasesRunOut();
        }

        assertThat(row(killer).status()).isEqualTo(EventStatus.DEAD);
        assertThat(row(behind).status()).as("behind a dead head").isEqualTo(EventStatus.NEW);
        assertThat(calls).startsWith("First", "Kills").doesNotContain("Behind");
    }
}
