package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.BatchEventListener;
import outbox.BatchFailedException;
import outbox.EngineFixture;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxWriter;
import outbox.RetryAfterException;
import outbox.listener.ControlledListener;
import outbox.model.EventStatus;
import outbox.purge.OutboxPurgeScheduler;
import outbox.spi.LeasingOutboxStore;
import outbox.spi.MetricsExporter;
import outbox.util.JsonCodec;

/** Parts of the user's own, and the store, may fail in any way: no event stays behind, held by a node that forgot it. */
@Timeout(60)
class BrokenPartsTest extends EngineFixture {
    private static final Duration SHORT = Duration.ofMillis(300);

    /** What happens around a call of the store; called with the name of the method. */
    private interface Fault {
        void strike(String method);
    }

    private LeasingOutboxStore failing(Fault before, Fault after) {
        return (LeasingOutboxStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {LeasingOutboxStore.class}, (proxy, method, args) -> {
                    before.strike(method.getName());
                    try {
                        Object result = method.invoke(store, args);
                        after.strike(method.getName());
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static Fault times(int times, String method, Error error) {
        AtomicInteger left = new AtomicInteger(times);
        return called -> {
            if (called.equals(method) && left.getAndDecrement() > 0) {
                throw error;
            }
        };
    }

    @Test
    void anErrorInTheStoreDoesNotLeaveDeliveredEventsHeldForEver() {
        registry.register("E", noting());
        LeasingOutboxStore broken =
                failing(times(2, "settle", new OutOfMemoryError("simulated in settle")), method -> {});
        Outbox outbox = outbox(b -> b.store(broken).leaseTime(SHORT));
        String id = write(outbox, "E");

        awaitStatus(id, EventStatus.DONE);
        assertThat(store.row(id).lockedBy()).isNull();
    }

    @Test
    void anErrorInRenewalDoesNotEndIt() throws Exception {
        registry.register("E", event -> {
            await().until(() -> metrics.leasesRenewed.get() > 0);
            delivered.add(event.eventId());
        });
        LeasingOutboxStore broken =
                failing(times(1, "renew", new OutOfMemoryError("simulated in renew")), method -> {});
        Outbox outbox = outbox(b -> b.store(broken).leaseTime(SHORT));
        String id = write(outbox, "E");

        awaitStatus(id, EventStatus.DONE);
        assertThat(metrics.leasesRenewed.get()).isPositive();
    }

    @Test
    void aRetryPolicyThatThrowsLeavesTheEventToALaterAttempt() {
        registry.register("E", event -> {
            throw new IllegalStateException("the listener's");
        });
        Outbox outbox = outbox(b -> b.retryPolicy(attempts -> {
            throw new ArithmeticException("the policy's");
        }));
        String id = write(outbox, "E");

        assertThat(awaitStatus(id, EventStatus.RETRY).lastError()).contains("IllegalStateException");
        assertThat(store.row(id).lockedBy()).isNull();
    }

    @Test
    void anExceptionThatCanNotBeDescribedIsAFailureLikeAnyOther() {
        registry.register("E", event -> {
            throw new RuntimeException() {
                private static final long serialVersionUID = 1L;

                @Override
                public String getMessage() {
                    throw new IllegalStateException("no message today");
                }
            };
        });
        Outbox outbox = outbox(b -> b.maxAttempts(1));
        String id = write(outbox, "E");

        awaitStatus(id, EventStatus.DEAD);
    }

    @Test
    void anInFlightTrackerThatFailsProtectsNothingAndStopsNothing() {
        registry.register("E", noting());
        OutboxDispatcher dispatcher = closing(OutboxDispatcher.builder()
                .outboxStore(store)
                .connectionProvider(store.connectionProvider())
                .listenerRegistry(registry)
                .inFlightTracker(new InFlightTracker() {
                    @Override
                    public boolean tryAcquire(String eventId) {
                        throw new IllegalStateException("tracker away");
                    }

                    @Override
                    public void release(String eventId) {
                        throw new IllegalStateException("tracker away");
                    }
                })
                .build());
        EventEnvelope event = EventEnvelope.ofJson("E", "{}");
        tx.inTransaction(() -> new OutboxWriter(tx, store, new DispatcherWriterHook(dispatcher)).write(event));

        awaitStatus(event.eventId(), EventStatus.DONE);
        assertThat(delivered).containsExactly(event.eventId());
    }

    @Test
    void anOrderedClaimWhoseAnswerGotLostHoldsBackWhatFollows() {
        registry.register("A", "E", noting());
        AtomicInteger lost = new AtomicInteger();
        LeasingOutboxStore broken = failing(method -> {}, method -> {
            boolean claimed = store.rows().stream().anyMatch(row -> row.lockedBy() != null);
            if (method.equals("claimOrdered") && claimed && lost.getAndIncrement() == 0) {
                throw new IllegalStateException("simulated: committed, but the answer got lost");
            }
        });
        Outbox outbox = outbox(b -> b.store(broken).ordered().leaseTime(Duration.ofSeconds(1)));
        String first = write(outbox, event(1));
        await().until(() -> lost.get() > 0);
        String second = write(outbox, event(2));

        awaitAll(2, EventStatus.DONE);
        assertThat(new LinkedHashSet<>(delivered)).containsExactly(first, second); // a lease that short may run out
    }

    @ParameterizedTest
    @MethodSource
    void metricsThatThrowCostNoEventAnything(Throwable failure) {
        registry.register("E", noting());
        MetricsExporter broken = (MetricsExporter) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {MetricsExporter.class}, (proxy, method, args) -> {
                    throw failure;
                });
        Outbox outbox = outbox(b -> b.metrics(broken));
        writeMany(outbox, "E", 50);
        tx.inTransaction(() -> new OutboxWriter(tx, store).write("E", "{}"));

        awaitAll(51, EventStatus.DONE);
        assertThat(delivered).hasSize(51);
        assertThat(store.rows()).allMatch(row -> row.event().attempts() == 0 && row.lockedBy() == null);
    }

    static List<Throwable> metricsThatThrowCostNoEventAnything() {
        return List.of(new IllegalStateException("the exporter's"), new AssertionError("the exporter's"));
    }

    @Test
    void aRowWhoseCodecEndsInAStackOverflowIsDeadAndStopsNoOther() {
        registry.register("E", noting());
        JsonCodec codec = new JsonCodec() {
            @Override
            public String toJson(Map<String, String> headers) {
                return JsonCodec.getDefault().toJson(headers);
            }

            @Override
            public Map<String, String> parseObject(String json) {
                if (json != null) {
                    throw new StackOverflowError("simulated in the codec");
                }
                return Map.of();
            }
        };
        EventEnvelope poison = EventEnvelope.builder("E")
                .header("deep", "very")
                .payloadJson("{}")
                .build();
        EventEnvelope good = EventEnvelope.ofJson("E", "{}");
        tx.inTransaction(() -> new OutboxWriter(tx, store).writeAll(List.of(poison, good)));
        outbox(b -> b.jsonCodec(codec));

        awaitStatus(good.eventId(), EventStatus.DONE);
        assertThat(awaitStatus(poison.eventId(), EventStatus.DEAD).lastError()).contains("StackOverflowError");
    }

    @Test
    void aRegistryThatFailsWhileABatchIsFilledLeavesNothingBehind() {
        CountDownLatch go = new CountDownLatch(1);
        AtomicInteger asked = new AtomicInteger();
        BatchEventListener batch = events -> events.forEach(event -> delivered.add(event.eventId()));
        Outbox outbox = outbox(b -> b.workerCount(1).listeners((aggregateType, eventType) -> {
            if (eventType.equals("Wait")) {
                return event -> go.await();
            }
            if (eventType.equals("Broken") && asked.getAndIncrement() < 2) {
                throw new IllegalStateException("the registry's");
            }
            return batch;
        }));
        write(outbox, "Wait");
        writeMany(outbox, "E", 3);
        write(outbox, "Broken");
        writeMany(outbox, "E", 3);
        go.countDown();

        awaitAll(8, EventStatus.DONE);
        assertThat(delivered).hasSize(7);
    }

    @Test
    void aBatchFailureThatCanNotNameItsEventsIsAFailureOfAll() {
        registry.register("E", (BatchEventListener) events -> {
            throw new BatchFailedException(Map.of()) {
                private static final long serialVersionUID = 1L;

                @Override
                public Map<String, Exception> failures() {
                    throw new IllegalStateException("no names today");
                }
            };
        });
        Outbox outbox = outbox(b -> b.workerCount(1).maxAttempts(1));
        writeMany(outbox, "E", 5);

        awaitAll(5, EventStatus.DEAD);
        await().until(() -> outbox.inFlight() == 0);
    }

    @Test
    void anErrorBeforeOneEventOfABatchIsAFailureOfThatEventAlone() {
        CountDownLatch go = new CountDownLatch(1);
        registry.register("Wait", event -> go.await());
        registry.register("E", (BatchEventListener) events -> events.forEach(event -> delivered.add(event.eventId())));
        Outbox outbox = outbox(b -> b.workerCount(1).maxAttempts(1).interceptor(EventInterceptor.before(event -> {
            if (event.payloadJson().contains("1")) {
                throw new StackOverflowError("simulated in an interceptor");
            }
        })));
        write(outbox, "Wait");
        List<String> ids = writeMany(outbox, "E", 3);
        go.countDown();

        awaitStatus(ids.get(1), EventStatus.DEAD);
        awaitAll(3, EventStatus.DONE);
        assertThat(delivered).containsExactly(ids.get(0), ids.get(2));
    }

    @Test
    void anErrorOfABatchListenerIsReportedForEachOfItsEventsAndEndsNoWorker() {
        CountDownLatch go = new CountDownLatch(1);
        Set<Thread> workers = ConcurrentHashMap.newKeySet();
        List<String> failed = new CopyOnWriteArrayList<>();
        registry.register("Wait", event -> go.await());
        registry.register("E", (BatchEventListener) events -> {
            workers.add(Thread.currentThread());
            if (failed.isEmpty()) {
                throw new NoClassDefFoundError("simulated in a batch listener");
            }
        });
        Outbox outbox = outbox(b -> b.workerCount(1).failureListener(failure -> {
            assertThat(failure.error()).isInstanceOf(NoClassDefFoundError.class);
            failed.add(failure.event().eventId());
        }));
        write(outbox, "Wait");
        List<String> ids = writeMany(outbox, "E", 3);
        go.countDown();

        awaitAll(4, EventStatus.DONE);
        assertThat(failed).containsExactlyElementsOf(ids);
        assertThat(workers).hasSize(1);
    }

    @Test
    void aBatchListenerThatCanNotTellItsSizeKeepsNoPlaceAtItsGate() {
        AtomicInteger asked = new AtomicInteger();
        BatchEventListener batch = new BatchEventListener() {
            @Override
            public void onEvents(List<EventEnvelope> events) {
                events.forEach(event -> delivered.add(event.eventId()));
            }

            @Override
            public int maxBatchSize() {
                if (asked.getAndIncrement() < 2) {
                    throw new IllegalStateException("no size today");
                }
                return 10;
            }
        };
        registry.register("E", ControlledListener.of(batch).concurrency(1).build());
        Outbox outbox = outbox(b -> b);
        writeMany(outbox, "E", 5);

        awaitAll(5, EventStatus.DONE);
        assertThat(delivered).hasSize(5);
    }

    @Test
    void aDelayLongerThanTheClockCanCountKeepsNothingInHand() {
        registry.register("Later", event -> {
            throw new RetryAfterException(Duration.ofSeconds(Long.MAX_VALUE), "in another age");
        });
        registry.register("E", noting());
        Outbox outbox = outbox(b -> b.ordered().coldQueueCapacity(1));
        awaitStatus(write(outbox, "Later"), EventStatus.RETRY);

        awaitStatus(write(outbox, "E"), EventStatus.DONE);
    }

    @Test
    void anInterruptThatComesTooLateDoesNotEndAWorker() {
        Set<Thread> workers = ConcurrentHashMap.newKeySet();
        registry.register("E", event -> workers.add(Thread.currentThread()));
        Outbox outbox = outbox(b -> b.workerCount(1));
        awaitStatus(write(outbox, "E"), EventStatus.DONE);
        Thread worker = workers.iterator().next();
        await().until(() -> worker.getState() == Thread.State.WAITING);
        worker.interrupt();

        awaitStatus(write(outbox, "E"), EventStatus.DONE);
        assertThat(workers).containsExactly(worker);
    }

    @Test
    void anErrorInAPurgeDoesNotEndItsSchedule() {
        AtomicInteger runs = new AtomicInteger();
        OutboxPurgeScheduler purge = closing(OutboxPurgeScheduler.builder()
                .connectionProvider(store.connectionProvider())
                .purger((conn, before, limit) -> {
                    if (runs.incrementAndGet() == 1) {
                        throw new NoClassDefFoundError("simulated in purge");
                    }
                    return 0;
                })
                .intervalSeconds(1)
                .build());
        purge.start();
        await().until(() -> runs.get() >= 2);
    }

    @Test
    void aPurgeThatFailedOnceIsTriedAgainAtOnce() {
        AtomicInteger runs = new AtomicInteger();
        OutboxPurgeScheduler purge = closing(OutboxPurgeScheduler.builder()
                .connectionProvider(store.connectionProvider())
                .purger((conn, before, limit) -> {
                    if (runs.incrementAndGet() == 1) {
                        throw new IllegalStateException("simulated deadlock");
                    }
                    return 0;
                })
                .build());
        purge.runOnce();
        assertThat(runs).hasValue(2);
    }

    private static EventEnvelope event(int n) {
        return EventEnvelope.builder("E")
                .aggregateType("A")
                .aggregateId("k")
                .payloadJson("{\"n\":" + n + "}")
                .build();
    }
}
