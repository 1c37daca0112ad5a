package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.AsyncEventListener;
import outbox.BatchEventListener;
import outbox.DeliveryTimeoutException;
import outbox.EngineFixture;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.OutboxRelay;
import outbox.RecordedLogs;
import outbox.Uninterruptibly;
import outbox.listener.ControlledListener;
import outbox.listener.RunningCalls;
import outbox.model.EventStatus;
import outbox.spi.FailedDelivery;

/** A listener that does not return stops only its own event. */
@Timeout(120)
class TimeLimitTest extends EngineFixture {
    private static final Duration SHORT = Duration.ofMillis(100);

    private final CountDownLatch end = new CountDownLatch(1);
    private final List<FailedDelivery> failures = new CopyOnWriteArrayList<>();

    @AfterEach
    void endWhatHangs() {
        end.countDown();
    }

    /** Ignores interruption. */
    private EventListener hanging() {
        return limited(event -> Uninterruptibly.await(end));
    }

    /** Only what is meant to reach a short limit has one: others may be slow because the machine is. */
    private static EventListener limited(EventListener listener) {
        return ControlledListener.of(listener).name("hung").timeLimit(SHORT).build();
    }

    private OutboxBuilder settings(OutboxBuilder builder) {
        return builder.maxAttempts(2).workerCount(4).failureListener(failures::add);
    }

    @Test
    void aHungListenerCountsAnAttemptAndItsEventEndsDead() {
        registry.register("Hung", hanging());
        try (RecordedLogs logs = new RecordedLogs()) {
            String id = write(outbox(this::settings), "Hung");

            awaitStatus(id, EventStatus.DEAD);
            assertThat(store.row(id).lastError())
                    .contains(
                            "DeliveryTimeoutException",
                            "listener 'hung'",
                            "time limit is PT0.1S",
                            "Uninterruptibly.await");
            assertThat(failures)
                    .hasSize(2)
                    .allSatisfy(failed -> assertThat(failed.error()).isInstanceOf(DeliveryTimeoutException.class));
            assertThat(metrics.timeouts).hasValue(2);
            assertThat(logs.of(RunningCalls.class, Level.WARNING)).anyMatch(line -> line.contains("listener 'hung'"));
        }
    }

    @Test
    void fiveHungListenersDoNotSilenceANodeWithFourWorkers() {
        registry.register("Hung", hanging()).register("Good", noting());
        Outbox outbox = outbox(this::settings);
        List<String> hung = writeMany(outbox, "Hung", 5);
        List<String> good = writeMany(outbox, "Good", 20);

        awaitAll(20, EventStatus.DONE);
        awaitAll(5, EventStatus.DEAD);
        assertThat(delivered).containsExactlyInAnyOrderElementsOf(good);
        assertThat(hung).allSatisfy(id -> assertThat(store.row(id).status()).isEqualTo(EventStatus.DEAD));
        assertThat(metrics.hungCalls).hasValue(10);

        end.countDown();
        await().until(() -> metrics.hungCalls.get() == 0);
        writeMany(outbox, "Good", 20);
        awaitAll(40, EventStatus.DONE);
    }

    @Test
    void aListenerThatCanBeInterruptedKeepsItsWorker() {
        List<String> calls = new CopyOnWriteArrayList<>();
        registry.register("Slow", limited(event -> {
                    calls.add("Slow on " + Thread.currentThread().getName());
                    end.await();
                }))
                .register("Good", event -> {
                    assertThat(Thread.currentThread().isInterrupted()).isFalse();
                    calls.add("Good on " + Thread.currentThread().getName());
                });
        Outbox outbox = outbox(b -> settings(b).workerCount(1));
        String slow = write(outbox, "Slow");
        awaitStatus(slow, EventStatus.DEAD);
        String good = write(outbox, "Good");
        awaitStatus(good, EventStatus.DONE);

        assertThat(calls)
                .containsExactly("Slow on outbox-worker-1", "Slow on outbox-worker-1", "Good on outbox-worker-1");
        await().until(() -> metrics.hungCalls.get() == 0);
    }

    @Test
    void whatATimedOutCallDoesLaterIsIgnored() {
        AtomicInteger calls = new AtomicInteger();
        List<String> after = new CopyOnWriteArrayList<>();
        registry.register("Slow", limited(event -> {
            if (calls.incrementAndGet() == 1) {
                Uninterruptibly.await(end);
                throw new IllegalStateException("too late");
            }
        }));
        Outbox outbox = outbox(b -> settings(b)
                .maxAttempts(100)
                .interceptor(EventInterceptor.after((event, error) -> after.add(String.valueOf(error)))));
        String id = write(outbox, "Slow");
        awaitStatus(id, EventStatus.DONE);

        end.countDown();
        await().until(() -> metrics.hungCalls.get() == 0);
        await().until(() -> after.size() == calls.get());
        assertThat(store.row(id).status()).isEqualTo(EventStatus.DONE);
        assertThat(after).anyMatch(error -> error.contains("DeliveryTimeoutException"));
        assertThat(failures)
                .allSatisfy(failed -> assertThat(failed.error()).isInstanceOf(DeliveryTimeoutException.class));
    }

    @Test
    void stagesThatNeverCompleteDoNotStopOtherTypes() {
        List<CompletableFuture<Void>> stages = new CopyOnWriteArrayList<>();
        AsyncEventListener never = event -> {
            CompletableFuture<Void> stage = new CompletableFuture<>();
            stages.add(stage);
            return stage;
        };
        AsyncEventListener other = event -> CompletableFuture.runAsync(() -> delivered.add(event.eventId()));
        registry.register("Never", never).register("Plain", noting()).register("Async", other);
        Outbox outbox = outbox(b -> b.workerCount(2)); // with the long limit that is the default
        writeMany(outbox, "Never", 1500);
        await().until(() -> stages.size() >= AsyncLimits.MOST);
        writeMany(outbox, "Plain", 20);
        writeMany(outbox, "Async", 20);

        awaitAll(40, EventStatus.DONE);
        assertThat(stages).hasSize(AsyncLimits.MOST);
    }

    @Test
    void aStageThatNeverCompletesIsAFailedAttempt() {
        List<CompletableFuture<Void>> stages = new CopyOnWriteArrayList<>();
        AsyncEventListener never = event -> {
            CompletableFuture<Void> stage = new CompletableFuture<>();
            stages.add(stage);
            return stage;
        };
        registry.register("Never", limited(never));
        List<String> ids = writeMany(outbox(this::settings), "Never", 50);

        awaitAll(50, EventStatus.DEAD);
        assertThat(store.row(ids.get(0)).lastError()).contains("DeliveryTimeoutException", "its stage is cancelled");
        await().until(() -> metrics.hungCalls.get() == 0);
        assertThat(stages).hasSize(100).allSatisfy(stage -> assertThat(stage).isCancelled());
    }

    @Test
    void aHungBatchHoldsUpNothingThatWasTakenOnTheWay() {
        CountDownLatch free = new CountDownLatch(1);
        List<Integer> sizes = new CopyOnWriteArrayList<>();
        BatchEventListener batch = events -> {
            sizes.add(events.size());
            Uninterruptibly.await(end);
        };
        registry.register("First", event -> Uninterruptibly.await(free))
                .register("Batch", limited(batch))
                .register("Good", noting());
        Outbox outbox = outbox(b -> b.workerCount(1).maxAttempts(1));
        write(outbox, "First"); // until all are queued
        List<String> hung = writeMany(outbox, "Batch", 3);
        String good = write(outbox, "Good");
        free.countDown();

        awaitStatus(good, EventStatus.DONE);
        awaitAll(3, EventStatus.DEAD);
        assertThat(sizes).containsExactly(3);
        assertThat(hung).allSatisfy(id -> assertThat(store.row(id).lastError()).contains("DeliveryTimeoutException"));
    }

    @Test
    void aRelayReturnsThoughAListenerDoesNot() {
        registry.register("Hung", hanging()).register("Good", noting());
        Outbox outbox = outbox(b -> settings(b).pollOnDemand());
        Outbox elsewhere = closing(Outbox.writerOnly()
                .store(store)
                .connections(store.connectionProvider())
                .transactions(tx)
                .build());
        writeMany(elsewhere, "Hung", 1);
        writeMany(elsewhere, "Good", 3);

        assertThat(outbox.relay().relayOnce(10)).isEqualTo(new OutboxRelay.Result(4, 3, 1, 0));
    }

    @Test
    void aHungCallGivesItsPlaceAtTheConcurrencyLimitToTheNext() {
        AtomicInteger calls = new AtomicInteger();
        EventListener once = event -> {
            if (calls.incrementAndGet() == 1) {
                Uninterruptibly.await(end);
            }
        };
        registry.register(
                "E",
                ControlledListener.of(once)
                        .concurrency(1)
                        .timeLimit(SHORT)
                        .maxAttempts(100)
                        .build());
        Outbox outbox = outbox(b -> settings(b));
        writeMany(outbox, "E", 5);

        awaitAll(5, EventStatus.DONE);
    }

    @Test
    void theDispatchersLimitIsForListenersWithoutOne() {
        registry.register("Hung", event -> Uninterruptibly.await(end));
        Outbox outbox = outbox(b -> b.maxAttempts(1).timeLimit(SHORT));
        String id = write(outbox, "Hung");

        awaitStatus(id, EventStatus.DEAD);
    }

    @Test
    void aHungHeadOfAKeyDoesNotHoldUpOtherKeys() {
        registry.register("A", "Hung", hanging()).register("A", "Good", noting());
        Outbox outbox = outbox(b -> settings(b).ordered());
        write(outbox, inOrder("Hung", "a"));
        String behind = write(outbox, inOrder("Good", "a"));
        String beside = write(outbox, inOrder("Good", "b"));

        awaitStatus(beside, EventStatus.DONE);
        awaitAll(1, EventStatus.DEAD);
        assertThat(store.row(behind).status()).as("behind a dead head").isEqualTo(EventStatus.NEW);
    }

    private static EventEnvelope inOrder(String type, String key) {
        return EventEnvelope.builder(type)
                .aggregateType("A")
                .aggregateId(key)
                .payloadJson("{}")
                .build();
    }

    @Test
    void aStreamGoesOnWithItsDeadLetters() throws Exception {
        List<String> dead = new CopyOnWriteArrayList<>();
        try (StreamDispatcher stream = StreamDispatcher.builder()
                .listenerRegistry((aggregateType, eventType) -> eventType.equals("Hung") ? hanging() : noting())
                .workerCount(2)
                .maxAttempts(2)
                .retryPolicy(attempts -> 1)
                .deadLetters((event, attempts, error) -> dead.add(event.eventType() + " " + attempts + " " + error))
                .build()) {
            int finished = stream.deliver(List.of(
                    EventEnvelope.ofJson("Hung", "{}"),
                    EventEnvelope.ofJson("Hung", "{}"),
                    EventEnvelope.ofJson("Hung", "{}"),
                    EventEnvelope.ofJson("Good", "{}")));

            assertThat(finished).isEqualTo(4);
            assertThat(delivered).hasSize(1);
            assertThat(dead)
                    .hasSize(3)
                    .allSatisfy(one -> assertThat(one).startsWith("Hung 2 outbox.DeliveryTimeoutException"));
            end.countDown();
        }
    }

    @Test
    void theThreadsOfAFleetAreReplacedToo() {
        SharedWorkerPool crew = closing(new SharedWorkerPool(2, Thread::new, 2, 2));
        OutboxDispatcher dispatcher = closing(OutboxDispatcher.builder()
                .outboxStore(store)
                .connectionProvider(store.connectionProvider())
                .listenerRegistry(registry.register("Hung", hanging()).register("Good", noting()))
                .retryPolicy(attempts -> 60_000)
                .sharedThreads(crew.join("one"))
                .build());
        for (int i = 0; i < 5; i++) {
            dispatcher.enqueueHot(new QueuedEvent(EventEnvelope.ofJson("Hung", "{}"), QueuedEvent.Source.HOT, 0));
        }
        dispatcher.enqueueHot(new QueuedEvent(EventEnvelope.ofJson("Good", "{}"), QueuedEvent.Source.HOT, 0));

        await().until(() -> delivered.size() == 1 && dispatcher.inFlight() == 0);
        end.countDown();
    }

    @Test
    void contradictionsAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OutboxDispatcher.builder().timeLimit(Duration.ofSeconds(-1)))
                .withMessage("timeLimit must not be negative: PT-1S; use Duration.ZERO for no limit");
    }
}
