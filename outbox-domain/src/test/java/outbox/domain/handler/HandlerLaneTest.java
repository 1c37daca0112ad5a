package outbox.domain.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import outbox.BatchFailedException;
import outbox.EventEnvelope;
import outbox.domain.handler.HandlerFixture.RowOutcome;
import outbox.domain.sample.OrderPlaced;

@DisplayName("P2 isolation of handlers")
class HandlerLaneTest {
    private final HandlerFixture fixture = new HandlerFixture();
    private final ExecutorService callers = Executors.newCachedThreadPool();
    private EventHandlers handlers;

    @AfterEach
    void close() {
        callers.shutdownNow();
        if (handlers != null) {
            handlers.close();
        }
    }

    private EventHandlers build(Object object) {
        handlers = EventHandlers.scan(object)
                .serializer(fixture.serializer)
                .tracker(fixture.tracker)
                .build();
        return handlers;
    }

    private List<CompletableFuture<RowOutcome>> deliver(int count) {
        List<CompletableFuture<RowOutcome>> outcomes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            EventEnvelope event = fixture.envelope(new OrderPlaced("o-" + i, i));
            outcomes.add(CompletableFuture.supplyAsync(() -> fixture.deliver(handlers, event), callers));
        }
        return outcomes;
    }

    class Limited {
        final AtomicInteger running = new AtomicInteger();
        final AtomicInteger most = new AtomicInteger();

        @EventHandler(concurrency = 2)
        void on(OrderPlaced event) throws InterruptedException {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            Thread.sleep(2);
            running.decrementAndGet();
        }
    }

    @Test
    void noMoreCallsRunAtATimeThanTheHandlerAllows() {
        Limited limited = new Limited();
        build(limited);

        deliver(40).forEach(CompletableFuture::join);

        assertThat(limited.most).hasValue(2);
    }

    class SlowAndFast {
        final CountDownLatch release = new CountDownLatch(1);
        final AtomicInteger fastCalls = new AtomicInteger();

        @EventHandler(name = "slow", concurrency = 1)
        void slow(OrderPlaced event) throws InterruptedException {
            release.await();
        }

        @EventHandler(name = "fast", concurrency = 1)
        void fast(OrderPlaced event) {
            fastCalls.incrementAndGet();
        }
    }

    @Test
    void aSlowHandlerDoesNotHoldUpTheOthersOfTheSameEvent() {
        SlowAndFast both = new SlowAndFast();
        build(both);

        List<CompletableFuture<RowOutcome>> outcomes = deliver(20);

        await().until(() -> both.fastCalls.get() == 20);
        assertThat(outcomes).noneMatch(CompletableFuture::isDone);
        both.release.countDown();
        assertThat(outcomes).allSatisfy(outcome -> assertThat(outcome.join()).isEqualTo(new RowOutcome.Done()));
    }

    @Test
    void eventsBeyondTheRoomOfALaneGoBackToTheTableAndCountNoAttempt() {
        SlowAndFast both = new SlowAndFast();
        build(both);
        int beyond = 10;

        List<CompletableFuture<RowOutcome>> outcomes = new ArrayList<>();
        for (int i = 1; i <= 1 + HandlerLane.ROOM + beyond; i++) {
            outcomes.addAll(deliver(1));
            int delivered = i;
            await().pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> both.fastCalls.get() == delivered);
        }

        await().until(() -> outcomes.stream().filter(CompletableFuture::isDone).count() == beyond);
        List<RowOutcome> postponed = outcomes.stream()
                .filter(CompletableFuture::isDone)
                .map(CompletableFuture::join)
                .toList();
        assertThat(postponed)
                .allSatisfy(outcome ->
                        assertThat(((RowOutcome.Retry) outcome).error()).contains("'slow' is busy"));
        assertThat(fixture.tracker.openHandlers()).isEmpty();
        both.release.countDown();
    }

    @Test
    void postponedEventsComeBackAtTheRateTheHandlerWorksAt() {
        Handler handler = new Handler(
                "slow",
                "here",
                new Handler.Takes.Envelopes(Set.of()),
                events -> {},
                Set.of(),
                RetryRule.DEFAULT,
                new ExceptionRules(),
                2,
                1,
                false);
        HandlerRunner runner = new HandlerRunner(handler, new Ledger.InRow(handler), null, List.of(), null, null);
        HandlerLane stuck = new HandlerLane(handler, runner, call -> {}, () -> 0);
        EventEnvelope event = fixture.envelope(new OrderPlaced("42", 1));
        for (int i = 0; i < HandlerLane.ROOM; i++) {
            assertThat(stuck.submit(new HandlerTask(event, 0, false))).isNotDone();
        }

        List<Duration> delays = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            HandlerResult result =
                    stuck.submit(new HandlerTask(event, 0, false)).join();
            delays.add(((HandlerResult.Postponed) result).delay());
        }

        // 10 ms are the guess before the first call, and two run at a time
        assertThat(delays)
                .containsExactly(Duration.ofMillis(1_000), Duration.ofMillis(1_005), Duration.ofMillis(1_010));
    }

    class Batches {
        final ConcurrentLinkedQueue<List<OrderPlaced>> calls = new ConcurrentLinkedQueue<>();
        final CountDownLatch release = new CountDownLatch(1);

        @EventHandler(name = "batch", concurrency = 1, batch = 8)
        void on(List<OrderPlaced> events, List<EventEnvelope> envelopes) throws Exception {
            assertThat(envelopes).hasSameSizeAs(events);
            calls.add(events);
            release.await();
            Map<String, Exception> failures = new HashMap<>();
            for (OrderPlaced event : events) {
                if (event.cents() == 13) {
                    failures.put(event.eventId(), new IllegalStateException("unlucky"));
                }
            }
            if (!failures.isEmpty()) {
                throw new BatchFailedException(failures);
            }
        }
    }

    @Test
    @DisplayName("P9: a batch handler takes what waits, and only those it names have failed")
    void aBatchHandlerTakesWhatWaitsAndOnlyThoseItNamesHaveFailed() {
        Batches batches = new Batches();
        build(batches);

        List<CompletableFuture<RowOutcome>> outcomes = deliver(20);
        await().until(() ->
                handlers.handlers().get(0).waiting() + batches.calls.peek().size() == 20);
        batches.release.countDown();

        List<RowOutcome> ended = outcomes.stream().map(CompletableFuture::join).toList();
        assertThat(ended.get(13)).isInstanceOf(RowOutcome.Retry.class);
        assertThat(ended)
                .filteredOn(outcome -> outcome instanceof RowOutcome.Done)
                .hasSize(19);
        assertThat(batches.calls).allSatisfy(call -> assertThat(call).hasSizeLessThanOrEqualTo(8));
        assertThat(batches.calls.stream().mapToInt(List::size).sum()).isEqualTo(20);
        assertThat(batches.calls.size()).isLessThanOrEqualTo(4);
    }

    class Deadly {
        @EventHandler(name = "deadly")
        void on(OrderPlaced event) {
            throw new StackOverflowError("too deep");
        }
    }

    @Test
    void anErrorIsAFailedAttemptAndDoesNotEndTheLane() {
        build(new Deadly());

        List<CompletableFuture<RowOutcome>> outcomes = deliver(20);

        assertThat(outcomes)
                .allSatisfy(outcome -> assertThat(outcome.join())
                        .isInstanceOfSatisfying(
                                RowOutcome.Retry.class,
                                retry -> assertThat(retry.error()).contains("StackOverflowError: too deep")));
        await().untilAsserted(
                        () -> assertThat(handlers.handlers().get(0).running()).isZero());
    }

    @Test
    void afterCloseEventsArePostponedAndNotLost() {
        build(new Limited());
        handlers.close();

        assertThat(deliver(1).get(0).join())
                .isInstanceOfSatisfying(
                        RowOutcome.Retry.class,
                        retry -> assertThat(retry.error()).contains("takes no more calls: closed"));
        assertThat(fixture.tracker.openHandlers()).isEmpty();
    }
}
