package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.AsyncEventListener;
import outbox.EngineFixture;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.OutboxWriter;
import outbox.Uninterruptibly;
import outbox.dispatch.QueuedEvent.Source;
import outbox.fleet.OutboxFleet;
import outbox.listener.ControlledListener;
import outbox.model.EventStatus;
import outbox.poller.OutboxPoller;
import outbox.purge.OutboxPurgeScheduler;
import outbox.spi.LeasingOutboxStore;

/** The end of a dispatcher, of a poller, of the whole. */
@Timeout(60)
class ClosingTest extends EngineFixture {
    @Test
    void closingDeliversWhatIsQueuedFirst() {
        CountDownLatch go = new CountDownLatch(1);
        registry.register("Block", event -> go.await());
        registry.register("E", noting());
        Outbox outbox = outbox(b -> b.workerCount(1).drainTimeout(Duration.ofSeconds(30)));
        write(outbox, "Block");
        writeMany(outbox, "E", 100);
        new Thread(go::countDown).start();
        outbox.close();

        assertThat(store.count(EventStatus.DONE)).isEqualTo(101);
        assertThat(delivered).hasSize(100);
    }

    @Test
    void afterTheDrainTimeoutTheRestGoesBackUntouched() {
        CountDownLatch running = new CountDownLatch(1);
        registry.register("Stuck", event -> {
            running.countDown();
            new CountDownLatch(1).await();
        });
        registry.register("E", noting());
        Outbox outbox = outbox(b -> b.workerCount(1).drainTimeout(Duration.ofMillis(100)));
        write(outbox, "Stuck");
        writeMany(outbox, "E", 20);
        await().until(() -> running.getCount() == 0);
        outbox.close();

        assertThat(delivered).isEmpty();
        assertThat(store.rows())
                .allMatch(row -> row.status() == EventStatus.NEW)
                .allMatch(row -> row.event().attempts() == 0)
                .allMatch(row -> row.lockedBy() == null);
    }

    @Test
    void whatWaitsForABusyListenerGoesBackUntouchedToo() {
        CountDownLatch running = new CountDownLatch(1);
        registry.register(
                "Stuck",
                ControlledListener.of(event -> {
                            running.countDown();
                            new CountDownLatch(1).await();
                        })
                        .concurrency(1)
                        .build());
        Outbox outbox = outbox(b -> b.workerCount(2).drainTimeout(Duration.ofMillis(100)));
        writeMany(outbox, "Stuck", 10);
        await().until(() -> running.getCount() == 0);
        outbox.close();

        assertThat(store.rows())
                .hasSize(10)
                .allMatch(row -> row.status() == EventStatus.NEW)
                .allMatch(row -> row.event().attempts() == 0)
                .allMatch(row -> row.lockedBy() == null);
    }

    @Test
    void closingDeliversWhatWaitsForAnAsynchronousListener() {
        ExecutorService elsewhere = Executors.newSingleThreadExecutor();
        closing((AutoCloseable) elsewhere::shutdownNow);
        CountDownLatch go = new CountDownLatch(1);
        AsyncEventListener async = event -> CompletableFuture.runAsync(
                () -> {
                    try {
                        go.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                    delivered.add(event.eventId());
                },
                elsewhere);
        registry.register("E", ControlledListener.of(async).concurrency(1).build());
        Outbox outbox = outbox(b -> b.workerCount(1).drainTimeout(Duration.ofSeconds(30)));
        List<String> ids = writeMany(outbox, "E", 10);
        new Thread(go::countDown).start();
        outbox.close();

        assertThat(delivered).containsExactlyInAnyOrderElementsOf(ids);
        assertThat(store.count(EventStatus.DONE)).isEqualTo(10);
    }

    @Test
    void aClosedDispatcherRefusesAndTheWriterStillWrites() {
        registry.register("E", noting());
        Outbox outbox = outbox(b -> b);
        outbox.close();
        String id = write(outbox, "E");
        assertThat(store.row(id).status()).isEqualTo(EventStatus.NEW);
        assertThat(store.row(id).lockedBy()).isNull();

        OutboxDispatcher dispatcher = OutboxDispatcher.builder()
                .outboxStore(store)
                .connectionProvider(store.connectionProvider())
                .listenerRegistry(registry)
                .build();
        dispatcher.close();
        dispatcher.close();
        QueuedEvent event = new QueuedEvent(EventEnvelope.ofJson("E", "{}"), Source.HOT, 0);
        assertThat(dispatcher.enqueueHot(event)).isFalse();
        assertThat(dispatcher.enqueueCold(event)).isFalse();
    }

    @Test
    void startAfterCloseIsRefused() {
        OutboxPoller poller = OutboxPoller.builder()
                .outboxStore(store)
                .connectionProvider(store.connectionProvider())
                .handler((event, attempts) -> true)
                .build();
        poller.close();
        assertThatIllegalStateException().isThrownBy(poller::start).withMessageContaining("closed");

        OutboxPurgeScheduler purge = OutboxPurgeScheduler.builder()
                .connectionProvider(store.connectionProvider())
                .purger(store.purger())
                .build();
        purge.close();
        assertThatIllegalStateException().isThrownBy(purge::start).withMessageContaining("closed");
    }

    @Test
    void everyFormOfAnOutboxStartsAgainUntilItIsClosed() {
        OutboxBuilder writerOnly = Outbox.writerOnly()
                .store(store)
                .connections(store.connectionProvider())
                .transactions(tx);
        for (Outbox outbox : List.of(
                outbox(builder -> builder),
                outbox(OutboxBuilder::pollOnDemand),
                closing(writerOnly.build().start()))) {
            outbox.stop();
            assertThat(outbox.isRunning()).isFalse();
            outbox.start();
            assertThat(outbox.isRunning()).isTrue();
            outbox.close();
            assertThatIllegalStateException()
                    .isThrownBy(outbox::start)
                    .withMessage("this outbox was closed; build a new one");
            assertThat(outbox.isRunning()).isFalse();
        }
    }

    @Test
    void anOutboxThatStartsAgainDeliversWhatCameMeanwhileAndIsAnotherOwner() {
        registry.register("E", noting());
        Outbox outbox = outbox(b -> b);
        String before = write(outbox, "E");
        await().until(() -> delivered.contains(before));
        String owner = outbox.leaseOwner();
        outbox.stop();
        String meanwhile = write(outbox, "E");
        outbox.start();
        String after = write(outbox, "E");

        await().until(() -> store.count(EventStatus.DONE) == 3);
        assertThat(delivered).containsExactlyInAnyOrder(before, meanwhile, after);
        assertThat(outbox.leaseOwner()).isNotEqualTo(owner);
    }

    @Test
    void aTransactionThatOutlivesARestartIsDeliveredOnce() {
        registry.register("E", noting());
        Outbox outbox = outbox(b -> b);
        EventEnvelope event = EventEnvelope.ofJson("E", "{}");
        tx.inTransaction(() -> {
            outbox.writer().write(event);
            outbox.stop();
            outbox.start();
        });

        await().until(() -> store.count(EventStatus.DONE) == 1);
        assertThat(delivered).containsExactly(event.eventId());
    }

    @Test
    void whatWasWrittenWhileStoppedAndCommittedAfterTheStartIsClaimedFirst() {
        List<String> ownersMeanwhile = new CopyOnWriteArrayList<>();
        registry.register("E", event -> {
            delivered.add(event.eventId());
            ownersMeanwhile.add(String.valueOf(store.row(event.eventId()).lockedBy()));
        });
        Outbox outbox = outbox(b -> b);
        outbox.stop();
        EventEnvelope event = EventEnvelope.ofJson("E", "{}");
        tx.inTransaction(() -> {
            outbox.writer().write(event); // nobody delivers here: the row is anybody's
            outbox.start();
        });

        awaitStatus(event.eventId(), EventStatus.DONE);
        assertThat(delivered).containsExactly(event.eventId());
        assertThat(ownersMeanwhile).containsExactly(outbox.leaseOwner());
    }

    @Test
    void aSingleNodeWhoseFirstStartFailedLeavesWhatItsListenersStillHaveInHand() throws Exception {
        CountDownLatch called = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        registry.register("E", event -> {
            delivered.add(event.eventId());
            called.countDown();
            Uninterruptibly.await(go);
        });
        registry.register("Other", noting());
        AtomicBoolean away = new AtomicBoolean();
        Outbox outbox = closing(Outbox.singleNode()
                .store(store)
                .connections(() -> {
                    if (away.get()) {
                        throw new SQLException("simulated: away");
                    }
                    return store.connectionProvider().getConnection();
                })
                .transactions(tx)
                .listeners(registry)
                .pollInterval(Duration.ofMillis(20))
                .drainTimeout(Duration.ofMillis(50))
                .build());
        String id = write(outbox, "E");
        called.await();
        String owner = outbox.leaseOwner();
        away.set(true);
        assertThatIllegalStateException().isThrownBy(outbox::start);
        away.set(false);
        outbox.start();
        String polled = writeUnhooked("Other");
        awaitStatus(polled, EventStatus.DONE); // it has polled
        assertThat(delivered).containsExactly(id, polled);
        assertThat(store.row(id).lockedBy())
                .as("so that its outcome can be written")
                .isEqualTo(owner);
        go.countDown();
    }

    @Test
    void aSingleNodeThatStartsAgainLeavesWhatItsListenersStillHaveInHand() throws Exception {
        CountDownLatch called = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        registry.register("E", event -> {
            delivered.add(event.eventId());
            called.countDown();
            go.await();
        });
        registry.register("Other", noting());
        Outbox outbox = closing(Outbox.singleNode()
                .store(store)
                .connections(store.connectionProvider())
                .transactions(tx)
                .listeners(registry)
                .pollInterval(Duration.ofMillis(20))
                .drainTimeout(Duration.ofSeconds(60))
                .build()
                .start());
        String id = write(outbox, "E");
        called.await();
        Thread stopping = new Thread(outbox::stop);
        stopping.start();
        await().until(() -> !outbox.isRunning());
        outbox.start();
        String polled = writeUnhooked("Other");
        awaitStatus(polled, EventStatus.DONE); // it has polled
        go.countDown();
        stopping.join();

        awaitStatus(id, EventStatus.DONE);
        assertThat(delivered).containsExactly(id, polled);
    }

    private String writeUnhooked(String eventType) {
        EventEnvelope event = EventEnvelope.ofJson(eventType, "{}");
        tx.inTransaction(() -> new OutboxWriter(tx, store).write(event));
        return event.eventId();
    }

    @Test
    void aSecondStartWhileTheDatabaseIsAwayStopsNothing() {
        AtomicBoolean away = new AtomicBoolean();
        Outbox outbox = outbox(builder -> builder.connections(() -> {
            if (away.get()) {
                throw new SQLException("simulated: away");
            }
            return store.connectionProvider().getConnection();
        }));
        away.set(true);
        outbox.start();
        assertThat(outbox.isRunning()).isTrue();
    }

    @Test
    void theRelayOfAnOutboxThatStartsAgainWorks() {
        registry.register("E", noting());
        Outbox outbox = outbox(OutboxBuilder::pollOnDemand);
        outbox.stop();
        String id = write(outbox, "E");
        outbox.start();

        assertThat(outbox.relay().relayOnce(10).delivered()).isEqualTo(1);
        assertThat(delivered).containsExactly(id);
    }

    @Test
    void aSecondStartStartsNothingTwice() {
        Outbox outbox = outbox(builder -> builder.purger(store.purger()));
        Set<Thread> started = Thread.getAllStackTraces().keySet();
        outbox.start();
        assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(thread -> thread.getName().startsWith("outbox-"))
                .isSubsetOf(started);
        assertThat(outbox.isRunning()).isTrue();
    }

    @Test
    void manyStartsAndStopsLeaveNoThread() {
        registry.register("E", noting());
        AtomicInteger written = new AtomicInteger();
        for (int i = 0; i < 30; i++) {
            try (Outbox outbox = Outbox.multiNode()
                    .store(store)
                    .connections(store.connectionProvider())
                    .transactions(tx)
                    .listeners(registry)
                    .purger(store.purger())
                    .drainTimeout(Duration.ofSeconds(30))
                    .build()
                    .start()) {
                written.addAndGet(writeMany(outbox, "E", 10).size());
            }
        }
        assertThat(store.count(EventStatus.DONE)).isEqualTo(written.get());
        awaitNoThread();
    }

    @Test
    void aStartThatFailsLeavesNoThread() {
        LeasingOutboxStore withoutTable = (LeasingOutboxStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {LeasingOutboxStore.class}, (proxy, method, args) -> {
                    throw new IllegalStateException("no table");
                });
        OutboxBuilder builder = Outbox.multiNode()
                .store(withoutTable)
                .connections(store.connectionProvider())
                .listeners(registry);
        assertThatIllegalStateException()
                .isThrownBy(() -> builder.build().start())
                .withMessage("no table");
        awaitNoThread();
    }

    @Test
    void aListenerMayCloseAndItsEventIsDone() {
        AtomicReference<Outbox> own = new AtomicReference<>();
        CountDownLatch built = new CountDownLatch(1);
        registry.register("E", event -> {
            built.await();
            delivered.add(event.eventId());
            own.get().close();
        });
        Outbox outbox = outbox(b -> b);
        own.set(outbox);
        String id = write(outbox, "E");
        built.countDown();

        awaitStatus(id, EventStatus.DONE);
        assertThat(delivered).containsExactly(id);
        awaitNoThread();
    }

    @Test
    void soMayAListenerInAFleet() {
        OutboxFleet fleet = closing(OutboxFleet.builder().workers(2).build());
        registry.register("E", event -> {
            fleet.remove("a");
            delivered.add(event.eventId());
        });
        String id = write(patientIn(fleet), "E");

        awaitStatus(id, EventStatus.DONE);
        assertThat(delivered).containsExactly(id);
    }

    /** Who waited for the listener that closes would wait longer than the test does, and not for ever. */
    private Outbox patientIn(OutboxFleet fleet) {
        return fleet.add(
                "a",
                Outbox.multiNode()
                        .store(store)
                        .connections(store.connectionProvider())
                        .transactions(tx)
                        .listeners(registry)
                        .drainTimeout(Duration.ofMinutes(1)));
    }

    @Test
    void aListenerMayCloseTheWholeFleet() {
        OutboxFleet fleet = closing(OutboxFleet.builder().workers(2).build());
        registry.register("E", event -> {
            fleet.close();
            delivered.add(event.eventId());
        });
        String id = write(patientIn(fleet), "E");

        awaitStatus(id, EventStatus.DONE);
        assertThat(delivered).containsExactly(id);
        awaitNoThread();
    }

    @Test
    void whoClosesASecondTimeWaitsForTheFirst() throws Exception {
        CountDownLatch called = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        registry.register("E", event -> {
            called.countDown();
            go.await();
        });
        Outbox outbox = outbox(b -> b.drainTimeout(Duration.ofSeconds(50)));
        String id = write(outbox, "E");
        called.await();
        Thread first = new Thread(outbox::close);
        first.start();
        await().until(outbox::isRunning, running -> !running);
        await().until(() -> first.getState() == Thread.State.TIMED_WAITING);
        Thread second = new Thread(outbox::close);
        second.start();
        await().until(() -> second.getState() == Thread.State.WAITING);
        go.countDown();
        second.join();

        assertThat(store.row(id).status()).isEqualTo(EventStatus.DONE);
    }

    @Test
    void whatWaitsAtAGateLeavesNoPlaceTakenBehind() {
        CountDownLatch running = new CountDownLatch(1);
        AtomicBoolean stuck = new AtomicBoolean(true);
        registry.register(
                "E",
                ControlledListener.of(event -> {
                            running.countDown();
                            if (stuck.get()) {
                                new CountDownLatch(1).await();
                            }
                            delivered.add(event.eventId());
                        })
                        .concurrency(1)
                        .build());
        Outbox first = outbox(b -> b.drainTimeout(Duration.ofMillis(50)));
        writeMany(first, "E", 5);
        await().until(() -> running.getCount() == 0);
        first.close();
        assertThat(store.rows()).allMatch(row -> row.status() == EventStatus.NEW && row.lockedBy() == null);

        stuck.set(false);
        outbox(b -> b);
        awaitAll(5, EventStatus.DONE);
    }

    @Test
    void aDrainWithoutEndWaitsForAsynchronousListeners() {
        CompletableFuture<Void> delivery = new CompletableFuture<>();
        CountDownLatch called = new CountDownLatch(1);
        registry.register("E", (AsyncEventListener) event -> {
            called.countDown();
            return delivery;
        });
        Outbox outbox = outbox(b -> b.drainTimeout(Duration.ofSeconds(Long.MAX_VALUE)));
        String id = write(outbox, "E");
        await().until(() -> called.getCount() == 0);
        Thread closer = new Thread(outbox::close);
        closer.start();
        await().until(() -> closer.getState() == Thread.State.TIMED_WAITING);
        delivery.complete(null);

        awaitStatus(id, EventStatus.DONE);
    }

    @Test
    void aPollerClosesThoughTheDatabaseDoesNotAnswer() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        OutboxPoller poller = OutboxPoller.builder()
                .outboxStore(store)
                .connectionProvider(() -> {
                    asked.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    throw new SQLException("given up");
                })
                .handler((event, attempts) -> true)
                .build();
        poller.start();
        asked.await();
        poller.close();
        awaitNoThread();
    }

    private static void awaitNoThread() {
        await().untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(Thread::isAlive)
                .extracting(Thread::getName)
                .noneMatch(name -> name.startsWith("outbox-")));
    }

    @Test
    void purgeDeletesOldTerminalRowsInBatches() {
        registry.register("E", noting());
        Outbox outbox = outbox(b -> b.purger(store.purger()).retention(Duration.ZERO));
        writeMany(outbox, "E", 1200);
        awaitAll(1200, EventStatus.DONE);
        await().until(() -> {
            outbox.purgeOnce();
            return store.rows().isEmpty();
        });
    }

    @Test
    void anEventWhoseListenerIgnoredTheStopIsDeliveredAgainAfterTheNextStart() {
        CountDownLatch called = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        registry.register("E", event -> {
            delivered.add(event.eventId());
            if (called.getCount() > 0) {
                called.countDown();
                Uninterruptibly.await(never);
            }
        });
        Outbox outbox =
                outbox(b -> b.workerCount(1).drainTimeout(Duration.ofMillis(10)).leaseTime(Duration.ofMillis(500)));
        String id = write(outbox, "E");
        await().until(() -> called.getCount() == 0);
        try {
            outbox.stop();
            outbox.start();
            awaitStatus(id, EventStatus.DONE);
            assertThat(delivered).containsExactly(id, id);
        } finally {
            never.countDown();
        }
    }

    @Test
    void whatWasNotWrittenAtTheEndIsNotInFlightAnyMore() {
        AtomicBoolean away = new AtomicBoolean();
        DefaultInFlightTracker tracker = new DefaultInFlightTracker();
        CountDownLatch called = new CountDownLatch(2);
        CountDownLatch go = new CountDownLatch(1);
        registry.register("E", event -> called.countDown()).register("Slow", event -> {
            called.countDown();
            Uninterruptibly.await(go);
        });
        OutboxDispatcher dispatcher = closing(OutboxDispatcher.builder()
                .connectionProvider(() -> {
                    if (away.get()) {
                        throw new SQLException("simulated: away", "08006");
                    }
                    return store.connectionProvider().getConnection();
                })
                .outboxStore(store)
                .listenerRegistry(registry)
                .inFlightTracker(tracker)
                .drainTimeoutMs(10)
                .build());
        away.set(true);
        EventEnvelope event = EventEnvelope.ofJson("E", "{}");
        EventEnvelope slow = EventEnvelope.ofJson("Slow", "{}");
        dispatcher.enqueueHot(new QueuedEvent(event, Source.HOT, 0));
        dispatcher.enqueueHot(new QueuedEvent(slow, Source.HOT, 0));
        await().until(() -> called.getCount() == 0);
        dispatcher.close();

        assertThat(tracker.tryAcquire(event.eventId())).isTrue();
        assertThat(tracker.tryAcquire(slow.eventId()))
                .as("its listener still runs")
                .isFalse();
        go.countDown();
        await().until(() -> tracker.tryAcquire(slow.eventId()));
    }
}
