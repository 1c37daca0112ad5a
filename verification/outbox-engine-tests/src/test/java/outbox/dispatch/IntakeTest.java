package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.dispatch.QueuedEvent.Source;
import outbox.model.Lease;
import outbox.poller.ClaimedEvent;
import outbox.spi.MetricsExporter;
import outbox.testing.InMemoryOutboxStore;

/** A claim may bring more than there is room for by then: somebody else was faster. Turn by turn, two places. */
class IntakeTest {
    private final InMemoryOutboxStore store = new InMemoryOutboxStore();
    private final List<Duration> wakeUps = new ArrayList<>();
    private Runnable onColdEnqueued = () -> {};
    private final OutboxDispatcher dispatcher = OutboxDispatcher.builder()
            .outboxStore(store)
            .connectionProvider(store.connectionProvider())
            .listenerRegistry((aggregateType, eventType) -> event -> {})
            .metrics(telling())
            .coldQueueCapacity(2)
            .withoutThreads()
            .build();
    private final DispatcherPollerHandler handler = new DispatcherPollerHandler(dispatcher);

    private MetricsExporter telling() {
        return (MetricsExporter) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {MetricsExporter.class}, (proxy, method, args) -> {
                    if (method.getName().equals("incrementColdEnqueued")) {
                        onColdEnqueued.run();
                    }
                    return null;
                });
    }

    @BeforeEach
    void aPollerFindsRoomForTwo() {
        handler.attached(wakeUps::add, null);
        assertThat(handler.availableCapacity()).isEqualTo(2);
    }

    private void enqueueAnother() {
        assertThat(dispatcher.enqueueCold(new QueuedEvent(EventEnvelope.ofJson("E", "{}"), Source.COLD, 0)))
                .isTrue();
    }

    /** @return how many found a place */
    private int handOverTwo() {
        Lease lease = new Lease(dispatcher.leaseOwner(), System.nanoTime());
        return handler.handle(List.of(
                new ClaimedEvent(EventEnvelope.ofJson("E", "{}"), 0, lease),
                new ClaimedEvent(EventEnvelope.ofJson("E", "{}"), 0, lease)));
    }

    @Test
    void whatWasClaimedInVainIsClaimedAgainAsSoonAsThereIsRoom() {
        enqueueAnother();
        enqueueAnother();
        assertThat(handOverTwo()).isZero();
        assertThat(wakeUps).isEmpty();
        dispatcher.steps().workOnce();

        assertThat(wakeUps).containsExactly(Duration.ZERO);
    }

    @Test
    void soItIsWhenThereIsRoomAgainBeforeTheHandOverEnds() {
        enqueueAnother();
        onColdEnqueued = () -> {
            while (dispatcher.steps().workOnce()) {}
        };
        assertThat(handOverTwo()).isEqualTo(1);

        assertThat(wakeUps).containsExactly(Duration.ZERO);
    }

    @Test
    void aClaimThatFoundItsPlacesWakesNobody() {
        assertThat(handOverTwo()).isEqualTo(2);
        while (dispatcher.steps().workOnce()) {}

        assertThat(wakeUps).isEmpty();
    }
}
