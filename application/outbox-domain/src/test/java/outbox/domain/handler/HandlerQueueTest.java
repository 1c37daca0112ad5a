package outbox.domain.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import outbox.BatchFailedException;
import outbox.EventEnvelope;
import outbox.domain.handler.HandlerFixture.RowOutcome;
import outbox.domain.sample.OrderPlaced;
import outbox.domain.type.UnreadableEventException;
import outbox.listener.CallRules;
import outbox.listener.CircuitBreaker;
import outbox.listener.ControlledListener;
import outbox.listener.RunningCalls;
import outbox.spi.BreakerState;
import outbox.spi.MetricsExporter;

@DisplayName("P2 isolation of handlers")
class HandlerQueueTest {
    private static final RunningCalls NO_LIMITS = new RunningCalls(() -> 0, MetricsExporter.NOOP, 1);

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

    /** Every call waits for a second one beside it, so two do run at a time; a third one would be seen. */
    class Limited {
        final AtomicInteger running = new AtomicInteger();
        final AtomicInteger most = new AtomicInteger();
        final CyclicBarrier pair = new CyclicBarrier(2);

        @EventHandler(concurrency = 2)
        void on(OrderPlaced event) throws Exception {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            pair.await(30, TimeUnit.SECONDS);
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

    static class Rated {
        final AtomicInteger calls = new AtomicInteger();
        final AtomicInteger others = new AtomicInteger();

        @EventHandler(name = "rated", rateLimit = "1/h")
        void on(OrderPlaced event) {
            calls.incrementAndGet();
        }

        @EventHandler(name = "other")
        void other(OrderPlaced event) {
            others.incrementAndGet();
        }
    }

    @Test
    void whatComesBeyondTheRateOfAHandlerWaitsAndItsOtherHandlersDoNot() {
        Rated rated = new Rated();
        build(rated);
        assertThat(fixture.deliver(handlers, fixture.envelope(new OrderPlaced("o-1", 1))))
                .isEqualTo(new RowOutcome.Done());
        assertThat(fixture.deliver(handlers, fixture.envelope(new OrderPlaced("o-2", 1))))
                .isInstanceOfSatisfying(
                        RowOutcome.Retry.class,
                        retry -> assertThat(retry.error()).contains("'rated' is at its rate limit"));
        assertThat(rated.calls).hasValue(1);
        assertThat(rated.others).hasValue(2);
    }

    static class Alone {
        @EventHandler(name = "alone")
        void on(OrderPlaced event) {}
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
    void aPausedHandlerIsNotCalledWhileTheOthersGoOn() {
        SlowAndFast both = new SlowAndFast();
        both.release.countDown();
        build(both);
        assertThat(handlers.setPaused("fast", true)).isTrue();
        assertThat(handlers.setPaused("nobody", true)).isFalse();
        EventEnvelope event = fixture.envelope(new OrderPlaced("o-1", 1));

        assertThat(fixture.deliver(handlers, event))
                .isInstanceOfSatisfying(
                        RowOutcome.Retry.class,
                        retry -> assertThat(retry.error()).contains("'fast' is paused"));
        assertThat(both.fastCalls).hasValue(0);
        assertThat(handlers.handlers())
                .extracting(EventHandlers.HandlerInfo::name, EventHandlers.HandlerInfo::paused)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("fast", true),
                        org.assertj.core.groups.Tuple.tuple("slow", false));

        handlers.setPaused("fast", false);
        assertThat(fixture.deliver(handlers, event)).isEqualTo(new RowOutcome.Done());
        assertThat(both.fastCalls).hasValue(1);
    }

    static class GoodAndBad {
        @EventHandler(name = "bad")
        void bad(OrderPlaced event) {
            throw new IllegalStateException("never");
        }

        @EventHandler(name = "good")
        void good(OrderPlaced event) {}
    }

    @Test
    void eachHandlerCountsWhatItDeliveredAndFailedAt() {
        build(new GoodAndBad());
        for (int i = 0; i < 3; i++) {
            fixture.deliver(handlers, fixture.envelope(new OrderPlaced("o-" + i, 1)));
        }
        assertThat(handlers.handlers())
                .extracting(
                        EventHandlers.HandlerInfo::name,
                        EventHandlers.HandlerInfo::delivered,
                        EventHandlers.HandlerInfo::failed)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("bad", 0L, 3L),
                        org.assertj.core.groups.Tuple.tuple("good", 3L, 0L));
    }

    @Test
    void aHandlerThatHasItsTypeForItselfCanBePausedToo() {
        Alone alone = new Alone();
        handlers = EventHandlers.scan(alone).serializer(fixture.serializer).build();
        assertThat(handlers.setPaused("alone", true)).isTrue();
        assertThat(handlers.handlers())
                .singleElement()
                .satisfies(info -> assertThat(info.paused()).isTrue());
    }

    @Test
    void aSlowHandlerDoesNotHoldUpTheOthersOfTheSameEvent() {
        SlowAndFast both = new SlowAndFast();
        build(both);

        List<CompletableFuture<RowOutcome>> outcomes = deliver(20);

        await().atMost(Duration.ofMinutes(1)).until(() -> both.fastCalls.get() == 20);
        assertThat(outcomes).noneMatch(CompletableFuture::isDone);
        both.release.countDown();
        assertThat(outcomes).allSatisfy(outcome -> assertThat(outcome.join()).isEqualTo(new RowOutcome.Done()));
    }

    @Test
    void eventsBeyondTheRoomOfAQueueGoBackToTheTableAndCountNoAttempt() {
        SlowAndFast both = new SlowAndFast();
        build(both);
        int beyond = 10;

        List<CompletableFuture<RowOutcome>> outcomes = new ArrayList<>();
        for (int i = 1; i <= 1 + HandlerQueue.ROOM + beyond; i++) {
            outcomes.addAll(deliver(1));
            int delivered = i;
            await().atMost(Duration.ofMinutes(1))
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> both.fastCalls.get() == delivered);
        }

        await().atMost(Duration.ofMinutes(1))
                .until(() -> outcomes.stream().filter(CompletableFuture::isDone).count() == beyond);
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

    private static Handler handler(int concurrency, int breakerFailures) {
        return handler(concurrency, breakerFailures, events -> {});
    }

    private static Handler handler(int concurrency, int breakerFailures, Handler.Invocation.Returning.Work work) {
        return new Handler(
                "slow",
                "here",
                new Handler.Takes.Envelopes(List.of()),
                new Handler.Invocation.Returning(work),
                Set.of(),
                RetryRule.DEFAULT,
                new ExceptionRules(),
                ControlledListener.Rules.NONE.with(rules -> {
                    rules.concurrency(concurrency);
                    if (breakerFailures > 0) {
                        rules.circuitBreaker(breakerFailures, Duration.ofSeconds(30));
                    }
                }),
                1,
                false);
    }

    private static CallRules rules(Handler handler) {
        return new CallRules(handler.name(), handler.rules(), state -> {});
    }

    private HandlerQueue queue(Handler handler, CallRules rules, Executor executor, LongSupplier ticks) {
        ProgressWriter outcomes = new ProgressWriter(fixture.tracker, Runnable::run, new Outage());
        HandlerRunner runner =
                new HandlerRunner(handler, new OutcomeRecorder.InRow(handler), null, List.of(), null, null);
        return new HandlerQueue(handler, runner, rules, outcomes, executor, ticks, NO_LIMITS);
    }

    @Test
    void postponedEventsComeBackAtTheRateTheHandlerWorksAt() {
        AtomicLong now = new AtomicLong();
        Handler handler = handler(2, 0);
        List<Runnable> calls = new ArrayList<>();
        // Every look at the clock takes 100 ms: so does every call.
        HandlerQueue slow = queue(
                handler,
                rules(handler),
                calls::add,
                () -> now.getAndAdd(Duration.ofMillis(100).toNanos()));
        EventEnvelope event = fixture.envelope(new OrderPlaced("42", 1));
        for (int i = 0; i < 50; i++) {
            slow.submit(new HandlerTask(event, 0));
        }
        calls.forEach(Runnable::run); // it has learned how long it takes
        for (int i = 0; i < HandlerQueue.ROOM; i++) {
            assertThat(slow.submit(new HandlerTask(event, 0))).isNotDone();
        }

        assertThat(postponed(slow, event)).as("busy since just now").isEqualTo(Duration.ofSeconds(1));

        now.addAndGet(Duration.ofMinutes(1).toNanos());
        Duration first = postponed(slow, event);
        Duration second = postponed(slow, event);
        // 128 wait, two run at a time, each takes 100 ms; and the clock goes on by three looks from one to the next
        assertThat(first).isCloseTo(Duration.ofMillis(6_450), Duration.ofMillis(150));
        assertThat(second).isCloseTo(first, Duration.ofMillis(60));
    }

    private static Duration postponed(HandlerQueue queue, EventEnvelope event) {
        HandlerResult result = queue.submit(new HandlerTask(event, 0)).join();
        return ((HandlerResult.Postponed) result).delay();
    }

    @Test
    void inFrontOfAFastHandlerWhoBringsAnEventWaitsForAPlace() throws Exception {
        Handler handler = handler(1, 0);
        CountDownLatch begin = new CountDownLatch(1);
        HandlerQueue queue = queue(
                handler,
                rules(handler),
                call -> callers.execute(() -> {
                    awaitQuietly(begin);
                    call.run();
                }),
                () -> 0); // no time passes: it is not taken for stuck, however long the threads need
        EventEnvelope event = fixture.envelope(new OrderPlaced("42", 1));
        List<CompletableFuture<HandlerResult>> results = new ArrayList<>();
        for (int i = 0; i < HandlerQueue.ROOM; i++) {
            results.add(queue.submit(new HandlerTask(event, 0)));
        }
        CompletableFuture<CompletableFuture<HandlerResult>> last =
                CompletableFuture.supplyAsync(() -> queue.submit(new HandlerTask(event, 0)), callers);

        begin.countDown();

        assertThat(last.join().join()).isEqualTo(HandlerResult.DONE);
        assertThat(results).allSatisfy(result -> assertThat(result.join()).isEqualTo(HandlerResult.DONE));
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    @DisplayName("P8: a handler that fails again and again opens its breaker, and nothing is counted")
    void aHandlerThatFailsAgainAndAgainIsLeftAlone() {
        AtomicLong now = new AtomicLong();
        List<BreakerState> reported = new ArrayList<>();
        MetricsExporter metrics = (MetricsExporter) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {MetricsExporter.class}, (proxy, method, arguments) -> {
                    assertThat(method.getName()).isEqualTo("recordBreakerState");
                    return reported.add((BreakerState) arguments[1]) ? null : arguments;
                });
        Handler handler = handler(1, 3);
        CallRules rules = new CallRules("slow", handler.rules(), state -> metrics.recordBreakerState("slow", state));
        CircuitBreaker breaker = rules.breaker();
        HandlerQueue queue = queue(handler, rules, Runnable::run, now::get);
        EventEnvelope event = fixture.envelope(new OrderPlaced("42", 1));

        breaker.failed(0);
        breaker.failed(0);
        assertThat(queue.submit(new HandlerTask(event, 0)).join()).isEqualTo(HandlerResult.DONE);
        breaker.failed(0);
        assertThat(postponed(queue, event)).isEqualTo(Duration.ofSeconds(30));

        now.set(Duration.ofSeconds(30).toNanos());
        assertThat(queue.submit(new HandlerTask(event, 0)).join()).isEqualTo(HandlerResult.DONE);
        assertThat(postponed(queue, event)).as("while the probe is under way").isEqualTo(Duration.ofSeconds(1));

        breaker.succeeded();
        assertThat(queue.submit(new HandlerTask(event, 0)).join()).isEqualTo(HandlerResult.DONE);
        assertThat(reported).containsExactly(BreakerState.OPEN, BreakerState.HALF_OPEN, BreakerState.CLOSED);
    }

    /** A queue whose calls run when the test says so, and whose handler fails as the test says. */
    private final class Held {
        final AtomicLong now = new AtomicLong();
        final AtomicInteger called = new AtomicInteger();
        final List<Runnable> threads = new ArrayList<>();
        final EventEnvelope event = fixture.envelope(new OrderPlaced("42", 1));
        final CircuitBreaker breaker;
        final HandlerQueue queue;
        RuntimeException failure = new IllegalStateException("down");

        Held() {
            Handler handler = handler(1, 1, events -> {
                called.incrementAndGet();
                throw failure;
            });
            CallRules rules = rules(handler);
            breaker = rules.breaker();
            Outage outage = new Outage();
            ProgressWriter outcomes = new ProgressWriter(fixture.tracker, Runnable::run, outage);
            OutcomeRecorder recorder = new OutcomeRecorder.InTracker(handler, outcomes, rules, outage, now::get);
            HandlerRunner runner = new HandlerRunner(handler, recorder, null, List.of(), fixture.tracker, null);
            queue = new HandlerQueue(handler, runner, rules, outcomes, threads::add, now::get, NO_LIMITS);
        }

        List<CompletableFuture<HandlerResult>> submit(int count) {
            List<CompletableFuture<HandlerResult>> results = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                results.add(queue.submit(new HandlerTask(event, 0)));
            }
            return results;
        }

        void run() {
            List<Runnable> all = List.copyOf(threads);
            threads.clear();
            all.forEach(Runnable::run);
        }
    }

    private static void assertPostponed(List<CompletableFuture<HandlerResult>> results, String why) {
        assertThat(results)
                .allSatisfy(result -> assertThat(result)
                        .isCompletedWithValueMatching(value -> value instanceof HandlerResult.Postponed postponed
                                && postponed.summary().contains(why)));
    }

    @Test
    void whatWaitsWhenTheBreakerOpensGoesBackAndIsNotCalled() {
        Held held = new Held();
        List<CompletableFuture<HandlerResult>> results = held.submit(5);

        held.run();

        assertThat(held.called).hasValue(1);
        assertThat(results.get(0).join()).isInstanceOf(HandlerResult.Retry.class);
        assertPostponed(results.subList(1, 5), "circuit breaker is open");
        assertThat(held.queue.waitingCount()).isZero();
    }

    @Test
    void theProbeIsCalledAndNotWhatCameBeforeTheBreakerOpened() {
        Held held = new Held();
        List<CompletableFuture<HandlerResult>> before = held.submit(3);
        held.breaker.failed(0);
        held.now.set(Duration.ofSeconds(30).toNanos());
        CompletableFuture<HandlerResult> probe = held.submit(1).get(0);

        held.run();

        assertThat(held.called).hasValue(1);
        assertPostponed(before, "circuit breaker is open");
        assertThat(probe.join()).isInstanceOf(HandlerResult.Retry.class);
        assertThat(held.queue.breakerState()).isEqualTo(BreakerState.OPEN);
    }

    @Test
    void whatWaitsStaysWhereTheBreakerOpenedAndClosedAgain() {
        Held held = new Held();
        List<CompletableFuture<HandlerResult>> results = held.submit(2);
        held.breaker.failed(0);
        held.breaker.succeeded(); // of the same batch, for one

        held.run();

        assertThat(held.called).hasValue(1);
        assertThat(results.get(0).join()).isInstanceOf(HandlerResult.Retry.class);
    }

    @Test
    void whatWaitsWhenTheHandlerIsPausedGoesBackAndIsNotCalled() {
        Held held = new Held();
        List<CompletableFuture<HandlerResult>> results = held.submit(5);

        held.queue.pause(true);
        held.run();

        assertThat(held.called).hasValue(0);
        assertPostponed(results, "is paused");
    }

    @Test
    void aPoisonEventDoesNotOpenTheBreaker() {
        Held held = new Held();
        held.failure = new UnreadableEventException("poison", null);
        CompletableFuture<HandlerResult> poison = held.submit(1).get(0);
        held.run();
        assertThat(poison.join()).isInstanceOf(HandlerResult.Dead.class);
        assertThat(held.queue.breakerState()).isEqualTo(BreakerState.CLOSED);

        held.breaker.failed(0);
        held.now.set(Duration.ofSeconds(30).toNanos());
        held.submit(1);
        held.run();
        assertThat(held.queue.breakerState()).as("a probe that was poison").isEqualTo(BreakerState.HALF_OPEN);
        held.failure = new IllegalStateException("down");
        held.submit(1);
        held.run();
        assertThat(held.called).as("the next one is the probe").hasValue(3);
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
        await().atMost(Duration.ofMinutes(1))
                .until(() -> handlers.handlers().get(0).waiting()
                                + batches.calls.stream().mapToInt(List::size).sum()
                        == 20);
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
    void anErrorIsAFailedAttemptAndDoesNotEndTheQueue() {
        build(new Deadly());

        List<CompletableFuture<RowOutcome>> outcomes = deliver(20);

        assertThat(outcomes)
                .allSatisfy(outcome -> assertThat(outcome.join())
                        .isInstanceOfSatisfying(
                                RowOutcome.Retry.class,
                                retry -> assertThat(retry.error()).contains("StackOverflowError: too deep")));
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(
                        () -> assertThat(handlers.handlers().get(0).running()).isZero());
    }

    @Test
    void aQueueThatGotNoThreadGetsOneLater() {
        AtomicInteger threads = new AtomicInteger();
        Handler handler = handler(1, 0);
        HandlerQueue queue = queue(
                handler,
                rules(handler),
                call -> {
                    if (threads.incrementAndGet() == 1) {
                        throw new InternalError("no thread is to be had");
                    }
                    call.run();
                },
                () -> 0);
        EventEnvelope event = fixture.envelope(new OrderPlaced("42", 1));

        assertThat(postponed(queue, event)).isEqualTo(Duration.ofSeconds(1));
        assertThat(queue.submit(new HandlerTask(event, 0)).join()).isEqualTo(HandlerResult.DONE);
    }

    @Test
    void afterCloseEventsArePostponedAndNotLost() {
        build(new Limited());
        handlers.close();

        assertThat(deliver(1).get(0).join())
                .isInstanceOfSatisfying(
                        RowOutcome.Retry.class,
                        retry -> assertThat(retry.error()).contains("cannot be called: closed"));
        assertThat(fixture.tracker.openHandlers()).isEmpty();
    }
}
