package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EngineFixture;
import outbox.EventEnvelope;

/** What a tracker knows to be in flight is not delivered a second time meanwhile. */
@Timeout(120)
class InFlightTest extends EngineFixture {
    private final DefaultInFlightTracker tracker = new DefaultInFlightTracker();
    private final EventEnvelope event = EventEnvelope.ofJson("E", "{}");
    private final EventEnvelope failing = EventEnvelope.ofJson("Failing", "{}");

    private OutboxDispatcher dispatcher() {
        registry.register("E", noting()).register("Failing", delivery -> {
            delivered.add(delivery.eventId());
            throw new IllegalStateException("down");
        });
        return closing(OutboxDispatcher.builder()
                .connectionProvider(store.connectionProvider())
                .outboxStore(store)
                .listenerRegistry(registry)
                .inFlightTracker(tracker)
                .workerCount(1)
                .build());
    }

    private static QueuedEvent queued(EventEnvelope event) {
        return new QueuedEvent(event, QueuedEvent.Source.HOT, 0);
    }

    @Test
    void anEventThatIsInFlightElsewhereIsDropped() {
        OutboxDispatcher dispatcher = dispatcher();
        tracker.tryAcquire(event.eventId());
        dispatcher.enqueueHot(queued(event));
        dispatcher.enqueueHot(queued(failing)); // behind it, by the same worker
        await().until(() -> !delivered.isEmpty() && dispatcher.inFlight() == 0);
        assertThat(delivered).containsExactly(failing.eventId());

        tracker.release(event.eventId());
        dispatcher.enqueueHot(queued(event));
        await().until(() -> delivered.contains(event.eventId()));
    }

    @Test
    void howeverADeliveryEndsItsEventIsNotInFlightAnyMore() {
        OutboxDispatcher dispatcher = dispatcher();
        dispatcher.enqueueHot(queued(event));
        dispatcher.enqueueHot(queued(failing));
        await().until(() -> delivered.size() == 2 && dispatcher.inFlight() == 0);
        assertThat(tracker.tryAcquire(event.eventId())).isTrue();
        assertThat(tracker.tryAcquire(failing.eventId())).isTrue();
    }
}
