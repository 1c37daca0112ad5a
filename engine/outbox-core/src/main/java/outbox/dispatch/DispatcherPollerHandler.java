package outbox.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.dispatch.QueuedEvent.Source;
import outbox.poller.ClaimedEvent;
import outbox.poller.LeasedPollerHandler;

/** The cold path: brings what a poller read to the dispatcher. Thread-safe. */
public final class DispatcherPollerHandler implements LeasedPollerHandler {
    private final OutboxDispatcher dispatcher;
    /** When the poll under way began, which asks for the capacity first and reads then. */
    private volatile long pollBegan = InFlightEvents.ALWAYS_CURRENT;

    public DispatcherPollerHandler(OutboxDispatcher dispatcher) {
        this.dispatcher = Objects.requireNonNull(dispatcher, "dispatcher");
    }

    @Override
    public boolean handle(EventEnvelope event, int attempts) {
        return dispatcher.intake().take(new QueuedEvent(event, Source.COLD, attempts), Source.COLD, pollBegan);
    }

    @Override
    public int handle(List<ClaimedEvent> claimed) {
        boolean fenced = dispatcher.leaseOwner() != null; // else its store cannot settle in the name of an owner
        List<QueuedEvent> events = claimed.stream()
                .map(event -> new QueuedEvent(
                        event.envelope(),
                        Source.COLD,
                        event.attempts(),
                        fenced ? event.lease() : null,
                        event.formerLease()))
                .toList();
        return dispatcher.intake().takeClaimed(events, pollBegan);
    }

    @Override
    public int availableCapacity() {
        pollBegan = dispatcher.moment();
        return dispatcher.intake().claimableRoom();
    }

    @Override
    public long availableBytes() {
        return dispatcher.intake().claimableBytes();
    }

    @Override
    public @Nullable String leaseOwner() {
        return dispatcher.leaseOwner();
    }

    @Override
    public void attached(Consumer<Duration> wakeUp, @Nullable Duration leaseTime) {
        dispatcher.pollerAttached(wakeUp, leaseTime);
    }

    @Override
    public Duration leaseTime() {
        return dispatcher.leaseTime();
    }
}
