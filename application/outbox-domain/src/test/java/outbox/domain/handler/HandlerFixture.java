package outbox.domain.handler;

import java.time.Duration;
import java.util.List;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.RetryAfterException;
import outbox.domain.DomainEvent;
import outbox.domain.DomainEventContext;
import outbox.domain.jackson.PayloadSerializers;
import outbox.domain.type.EventEnvelopes;
import outbox.domain.type.EventTypes;
import outbox.domain.type.PayloadSerializer;
import outbox.testing.ManualClock;

/** Delivers events to handlers pass by pass, as the dispatcher would, on the test's thread and by its clock. */
class HandlerFixture {
    final ManualClock clock = new ManualClock();
    final InMemoryConsumptionTracker tracker = new InMemoryConsumptionTracker(clock);
    final PayloadSerializer serializer = PayloadSerializers.detect();
    final EventEnvelopes envelopes = new EventEnvelopes(EventTypes.builder().build(), serializer);

    /** What the row would look like after a pass. */
    sealed interface RowOutcome {
        record Done() implements RowOutcome {}

        record Retry(Duration delay, String error) implements RowOutcome {}

        record Dead(String error) implements RowOutcome {}
    }

    EventHandlersBuilder handlers(Object... objects) {
        return EventHandlers.scan(objects)
                .serializer(serializer)
                .tracker(tracker)
                .executor(Runnable::run);
    }

    EventEnvelope envelope(DomainEvent event) {
        return envelopes.envelope(event, DomainEventContext.of("Order", "42"));
    }

    RowOutcome deliver(EventHandlers handlers, EventEnvelope event) {
        EventListener listener = handlers.listenerFor(event.aggregateType(), event.eventType());
        try {
            listener.onEvent(event);
            return new RowOutcome.Done();
        } catch (RetryAfterException e) {
            return new RowOutcome.Retry(e.delay(), e.getMessage());
        } catch (HandlersFailedException e) {
            return new RowOutcome.Dead(e.getMessage());
        } catch (Exception e) {
            throw new AssertionError("the pass let an exception out that is no outcome", e);
        }
    }

    HandlerProgress progress(EventEnvelope event, String handler) {
        List<HandlerProgress> found = tracker.progressOf(event.eventId()).stream()
                .filter(progress -> progress.handler().equals(handler))
                .toList();
        return found.isEmpty() ? HandlerProgress.pending(event.eventId(), handler) : found.get(0);
    }
}
