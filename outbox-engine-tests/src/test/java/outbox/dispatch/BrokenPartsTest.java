package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EngineFixture;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxWriter;
import outbox.model.EventStatus;
import outbox.spi.LeasingOutboxStore;

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
            Thread.sleep(3 * SHORT.toMillis());
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
        assertThat(delivered).containsExactlyElementsOf(List.of(first, second));
    }

    private static EventEnvelope event(int n) {
        return EventEnvelope.builder("E")
                .aggregateType("A")
                .aggregateId("k")
                .payloadJson("{\"n\":" + n + "}")
                .build();
    }
}
