package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.AsyncEventListener;
import outbox.BatchEventListener;
import outbox.BatchFailedException;
import outbox.EngineFixture;
import outbox.EventEnvelope;
import outbox.NotAttemptedException;
import outbox.Outbox;
import outbox.RetryAfterException;
import outbox.listener.ControlledListener;
import outbox.listener.Rate;
import outbox.model.EventStatus;
import outbox.spi.BreakerState;
import outbox.testing.InMemoryOutboxStore;
import outbox.testing.InMemoryRow;
import outbox.testing.InMemoryTxContext;

/** Rules of one listener: exceptions, limits, breaker, batches, asynchrony. */
@Timeout(60)
class ListenerControlTest extends EngineFixture {
    @Test
    void aRegisteredExceptionMeansDeadAtOnceAndOthersAreRetried() {
        AtomicInteger calls = new AtomicInteger();
        registry.register(
                "E",
                ControlledListener.of(event -> {
                            if (calls.incrementAndGet() == 1) {
                                throw new IllegalStateException("system: again");
                            }
                            throw new NumberFormatException("business: never");
                        })
                        .deadOn(IllegalArgumentException.class)
                        .build());
        String id = write(outbox(b -> b), "E");
        InMemoryRow row = awaitStatus(id, EventStatus.DEAD);
        assertThat(calls).hasValue(2);
        assertThat(row.lastError()).contains("NumberFormatException");
    }

    @Test
    void aListenersOwnAttemptLimitAndRetryPolicyGoBeforeTheDispatchers() {
        AtomicInteger calls = new AtomicInteger();
        registry.register(
                "E",
                ControlledListener.of(event -> {
                            calls.incrementAndGet();
                            throw new IllegalStateException();
                        })
                        .maxAttempts(2)
                        .retryPolicy(attempts -> 5)
                        .build());
        String id = write(outbox(b -> b.maxAttempts(100).retryPolicy(attempts -> 3_600_000)), "E");
        awaitStatus(id, EventStatus.DEAD);
        assertThat(calls).hasValue(2);
    }

    @Test
    void noMoreRunAtATimeThanTheLimitAndOtherListenersGoOn() {
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch go = new CountDownLatch(1);
        registry.register(
                "Slow",
                ControlledListener.of(event -> {
                            most.accumulateAndGet(running.incrementAndGet(), Math::max);
                            go.await();
                            running.decrementAndGet();
                        })
                        .concurrency(2)
                        .build());
        registry.register("E", noting());
        Outbox outbox = outbox(b -> b.workerCount(4));
        writeMany(outbox, "Slow", 100);
        writeMany(outbox, "E", 100);

        await().until(() -> delivered.size() == 100 && running.get() == 2);
        go.countDown();
        awaitAll(200, EventStatus.DONE);
        assertThat(most).hasValue(2);
        assertThat(store.rows()).allMatch(row -> row.event().attempts() == 0);
    }

    @Test
    void aBacklogKeepsALimitedListenerBusy() {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        registry.register(
                "E",
                ControlledListener.of((AsyncEventListener) event -> {
                            CompletableFuture<Object> reply = new CompletableFuture<>();
                            timer.schedule(() -> reply.complete(event), 5, TimeUnit.MILLISECONDS);
                            return reply;
                        })
                        .concurrency(8)
                        .build());
        try {
            writeMany(outbox(b -> b), "E", 2000);
            // 1.25 s if no place is ever empty. It took more than a minute when all that was refused came back
            // together.
            await().atMost(Duration.ofSeconds(40)).until(() -> store.count(EventStatus.DONE) == 2000);
            assertThat(store.rows()).allMatch(row -> row.event().attempts() == 0);
        } finally {
            timer.shutdownNow();
        }
    }

    @Test
    void eventsBeyondTheRateWaitInTheTableAndCountNoAttempt() {
        AtomicInteger calls = new AtomicInteger();
        registry.register(
                "E",
                ControlledListener.of(event -> calls.incrementAndGet())
                        .rateLimit(Rate.parse("20/s").withBurst(1))
                        .build());
        Outbox outbox = outbox(b -> b);
        long start = System.nanoTime();
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 21; i++) {
            ids.add(write(outbox, "E"));
        }
        ids.forEach(id ->
                assertThat(awaitStatus(id, EventStatus.DONE).event().attempts()).isZero());
        assertThat(calls).hasValue(21);
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.SECONDS.toNanos(1));
    }

    @Test
    void outboxesThatShareAListenerShareItsLimitAndKeepTheirEventsApart() {
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        ControlledListener shared = ControlledListener.of(event -> {
                    most.accumulateAndGet(running.incrementAndGet(), Math::max);
                    Thread.yield();
                    running.decrementAndGet();
                    delivered.add(event.eventId());
                })
                .concurrency(1)
                .build();
        registry.register("E", shared);
        InMemoryOutboxStore otherStore = new InMemoryOutboxStore();
        InMemoryTxContext otherTx = otherStore.txContext();
        Outbox other = closing(Outbox.multiNode()
                .store(otherStore)
                .connections(otherStore.connectionProvider())
                .transactions(otherTx)
                .listeners(registry)
                .build()
                .start());
        Outbox outbox = outbox(b -> b);
        for (int i = 0; i < 100; i++) {
            write(outbox, "E");
            otherTx.inTransaction(() -> other.writer().write("E", "{}"));
        }

        awaitAll(100, EventStatus.DONE);
        await().until(() -> otherStore.count(EventStatus.DONE) == 100);
        assertThat(delivered).hasSize(200).doesNotHaveDuplicates();
        assertThat(most).hasValue(1);
    }

    @Test
    void aPausedListenerIsNotCalledBurnsNoAttemptsAndLosesNothing() {
        ControlledListener listener = ControlledListener.of(noting()).build();
        registry.register("E", listener);
        registry.register("Other", noting());
        listener.pause();
        Outbox outbox = outbox(b -> b);
        writeMany(outbox, "E", 20);
        String other = write(outbox, "Other");
        awaitStatus(other, EventStatus.DONE);
        await().until(() -> outbox.inFlight() == 0);
        assertThat(delivered).containsExactly(other);
        assertThat(store.rows()).allMatch(row -> row.event().attempts() == 0);
        listener.resume();
        await().atMost(Duration.ofSeconds(40)).until(() -> delivered.size() == 21);
        awaitAll(21, EventStatus.DONE);
        assertThat(store.rows()).allMatch(row -> row.event().attempts() == 0);
    }

    @Test
    void whoCalledNobodyHasNotFailed() {
        ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
        AtomicInteger calls = new AtomicInteger();
        registry.register("E", event -> {
            if (calls.incrementAndGet() == 1) {
                throw new NotAttemptedException(Duration.ofMillis(1), "paused", null);
            }
            if (calls.get() == 2) {
                throw new RetryAfterException(Duration.ofMillis(1), "busy");
            }
        });
        String id = write(
                outbox(b -> b.failureListener(
                        failure -> failures.add(String.valueOf(failure.error().getMessage())))),
                "E");
        awaitStatus(id, EventStatus.DONE);
        assertThat(failures).containsExactly("busy");
        assertThat(store.row(id).event().attempts()).isEqualTo(1);
    }

    @Test
    void anOpenBreakerBurnsNoAttemptsAndAProbeClosesIt() {
        AtomicBoolean broken = new AtomicBoolean(true);
        AtomicInteger calls = new AtomicInteger();
        ControlledListener listener = ControlledListener.of(event -> {
                    calls.incrementAndGet();
                    if (broken.get()) {
                        throw new IllegalStateException("down");
                    }
                })
                .circuitBreaker(3, Duration.ofSeconds(1))
                .build();
        registry.register("E", listener);
        Outbox outbox = outbox(b -> b.workerCount(1).maxAttempts(50));
        writeMany(outbox, "E", 100);

        await().until(() -> listener.breakerState() == BreakerState.OPEN);
        long begin = System.nanoTime();
        int callsWhenOpen = calls.get();
        await().until(() -> store.rows().stream().noneMatch(row -> row.lockedBy() != null));
        int probes = calls.get() - callsWhenOpen;
        long seconds = Duration.ofNanos(System.nanoTime() - begin).toSeconds();
        assertThat((long) probes).as("one a second at most").isLessThanOrEqualTo(1 + seconds);
        await().until(() ->
                store.rows().stream().mapToInt(row -> row.event().attempts()).sum()
                        == calls.get()); // a probe may be on its way

        broken.set(false);
        awaitAll(100, EventStatus.DONE);
        assertThat(listener.breakerState()).isEqualTo(BreakerState.CLOSED);
    }

    /** Two are in flight, others wait for their places. */
    private static final class InFlight implements AsyncEventListener {
        private final List<CompletableFuture<Void>> calls = new CopyOnWriteArrayList<>();

        @Override
        public CompletionStage<?> onEventAsync(EventEnvelope event) {
            CompletableFuture<Void> call = new CompletableFuture<>();
            calls.add(call);
            return call;
        }
    }

    @Test
    void whatWaitedForItsPlaceIsNotCalledOnceTheBreakerIsOpen() {
        InFlight inFlight = new InFlight();
        ControlledListener listener = ControlledListener.of(inFlight)
                .concurrency(2)
                .circuitBreaker(1, Duration.ofHours(1))
                .build();
        registry.register("E", listener);
        Outbox outbox = outbox(b -> b.retryPolicy(attempts -> 3_600_000));
        writeMany(outbox, "E", 12);
        await().until(() -> inFlight.calls.size() == 2);
        inFlight.calls.forEach(call -> call.completeExceptionally(new IllegalStateException("down")));

        await().until(() -> store.rows().stream().noneMatch(row -> row.lockedBy() != null));
        assertThat(inFlight.calls).hasSize(2);
        assertThat(store.rows().stream().mapToInt(row -> row.event().attempts()).sum())
                .isEqualTo(2);
    }

    @Test
    void whatWaitedForItsPlaceIsNotCalledOnceTheListenerIsPaused() {
        InFlight inFlight = new InFlight();
        ControlledListener listener =
                ControlledListener.of(inFlight).concurrency(2).build();
        registry.register("E", listener);
        writeMany(outbox(b -> b), "E", 12);
        await().until(() -> inFlight.calls.size() == 2);
        listener.pause();
        inFlight.calls.forEach(call -> call.complete(null));

        awaitAll(2, EventStatus.DONE);
        await().until(() -> store.rows().stream().noneMatch(row -> row.lockedBy() != null));
        assertThat(inFlight.calls).hasSize(2);
    }

    @Test
    void poisonStopsOnlyItselfAndOpensNoBreaker() {
        ControlledListener listener = ControlledListener.of(event -> {
                    throw new IllegalArgumentException("poison");
                })
                .deadOn(IllegalArgumentException.class)
                .circuitBreaker(3, Duration.ofHours(1))
                .build();
        registry.register("E", listener);
        writeMany(outbox(b -> b), "E", 20);

        awaitAll(20, EventStatus.DEAD);
        assertThat(listener.breakerState()).isEqualTo(BreakerState.CLOSED);
    }

    @Test
    void aBatchListenerGetsManyAtOnceAndFailsOnlyThoseItNames() {
        List<Integer> sizes = new CopyOnWriteArrayList<>();
        Map<String, Integer> failures = new HashMap<>();
        CountDownLatch go = new CountDownLatch(1);
        registry.register("Block", event -> go.await());
        registry.register("E", new BatchEventListener() {
            @Override
            public void onEvents(List<EventEnvelope> events) throws BatchFailedException {
                sizes.add(events.size());
                Map<String, Exception> failed = new HashMap<>();
                for (EventEnvelope event : events) {
                    boolean first = failures.merge(event.eventId(), 1, Integer::sum) == 1;
                    if (event.payloadJson().contains("7") && first) {
                        failed.put(event.eventId(), new IllegalStateException("seven"));
                    } else {
                        delivered.add(event.eventId());
                    }
                }
                if (!failed.isEmpty()) {
                    throw new BatchFailedException(failed);
                }
            }

            @Override
            public int maxBatchSize() {
                return 10;
            }
        });
        Outbox outbox = outbox(b -> b.workerCount(1));
        write(outbox, "Block");
        List<String> ids = writeMany(outbox, "E", 30);
        go.countDown();
        awaitAll(31, EventStatus.DONE);
        assertThat(delivered).containsExactlyInAnyOrderElementsOf(ids);
        assertThat(sizes.get(0)).isEqualTo(10);
        assertThat(metrics.failure).hasValue(3); // 7, 17, 27
    }

    @Test
    void theLimitOfABatchListenerIsOneOfCallsNotOfEvents() {
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<Integer> sizes = new CopyOnWriteArrayList<>();
        CountDownLatch go = new CountDownLatch(1);
        BatchEventListener batches = events -> {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            sizes.add(events.size());
            go.await();
            running.decrementAndGet();
        };
        registry.register("E", ControlledListener.of(batches).concurrency(1).build());
        Outbox outbox = outbox(b -> b.workerCount(3));
        writeMany(outbox, "E", 100);
        await().until(() -> !sizes.isEmpty());
        go.countDown();
        awaitAll(100, EventStatus.DONE);

        assertThat(most).hasValue(1);
        assertThat(sizes).anyMatch(size -> size > 1);
    }

    @Test
    void anAsynchronousListenerHasMoreInFlightThanThereAreWorkers() {
        ConcurrentLinkedQueue<CompletableFuture<Void>> inFlight = new ConcurrentLinkedQueue<>();
        List<EventEnvelope> started = new CopyOnWriteArrayList<>();
        AsyncEventListener async = new AsyncEventListener() {
            @Override
            public CompletionStage<?> onEventAsync(EventEnvelope event) {
                started.add(event);
                CompletableFuture<Void> future = new CompletableFuture<>();
                inFlight.add(future);
                return future;
            }
        };
        registry.register("E", ControlledListener.of(async).concurrency(50).build());
        Outbox outbox = outbox(b -> b.workerCount(1));
        writeMany(outbox, "E", 80);
        await().until(() -> inFlight.size() == 50);

        List<CompletableFuture<Void>> first = new ArrayList<>(inFlight);
        first.get(0).completeExceptionally(new IllegalStateException("one fails"));
        first.subList(1, 50).forEach(future -> future.complete(null));
        await().until(() -> {
            inFlight.forEach(future -> future.complete(null));
            return store.count(EventStatus.DONE) == 80;
        });
        assertThat(metrics.failure).hasValue(1);
        assertThat(started).hasSize(81);
    }

    @Test
    void asynchronousListenersWithoutALimitDoNotTakeTheWholeTable() {
        AtomicInteger inFlight = new AtomicInteger();
        List<CompletableFuture<Void>> stages = new CopyOnWriteArrayList<>();
        registry.register("E", (AsyncEventListener) event -> {
            inFlight.incrementAndGet();
            CompletableFuture<Void> stage = new CompletableFuture<>();
            stages.add(stage);
            return stage;
        });
        Outbox outbox = outbox(b -> b.workerCount(2));
        writeMany(outbox, "E", 4000);
        await().until(() -> inFlight.get() >= 1000);
        assertThat(inFlight.get()).isEqualTo(1000);
        await().until(() -> {
            stages.forEach(stage -> stage.complete(null));
            return store.count(EventStatus.DONE) == 4000;
        });
        assertThat(inFlight.get()).isEqualTo(4000);
    }
}
