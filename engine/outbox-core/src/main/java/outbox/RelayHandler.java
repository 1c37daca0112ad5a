package outbox;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import outbox.dispatch.DispatcherPollerHandler;
import outbox.poller.ClaimedEvent;
import outbox.poller.LeasedPollerHandler;

/**
 * Stands between poller and dispatcher. While somebody relays a batch, it sees to it that the poll is no larger than that
 * and notes what went to the dispatcher. A poll calls back on its own thread, by which a relay knows its own.
 */
final class RelayHandler implements LeasedPollerHandler {
    private final DispatcherPollerHandler dispatcher;
    private volatile @Nullable Batch current;
    private final Consumer<Duration> onWakeUp;

    /** @param onWakeUp told too when a poll is wanted, and how soon */
    RelayHandler(DispatcherPollerHandler dispatcher, Consumer<Duration> onWakeUp) {
        this.dispatcher = dispatcher;
        this.onWakeUp = onWakeUp;
    }

    /** What one relay takes. */
    private static final class Batch {
        private final Thread thread = Thread.currentThread();
        private final int limit;
        private final List<String> taken = new ArrayList<>();

        Batch(int limit) {
            this.limit = limit;
        }
    }

    /** A poll of some kind. */
    interface Poll<E extends Exception> {
        void run() throws E;
    }

    /** Runs a poll of at most {@code limit} rows. @return ids of the events that are the dispatcher's now */
    synchronized <E extends Exception> List<String> limited(int limit, Poll<E> poll) throws E {
        Batch batch = new Batch(limit);
        current = batch;
        try {
            poll.run();
            return batch.taken;
        } finally {
            current = null;
        }
    }

    private @Nullable Batch ofThisThread() {
        Batch batch = current;
        return batch != null && batch.thread == Thread.currentThread() ? batch : null;
    }

    @Override
    public int handle(List<ClaimedEvent> claimed) {
        int taken = dispatcher.handle(claimed);
        Batch batch = ofThisThread();
        if (batch != null) {
            claimed.subList(0, taken)
                    .forEach(event -> batch.taken.add(event.envelope().eventId()));
        }
        return taken;
    }

    @Override
    public boolean handle(EventEnvelope event, int attempts) {
        return dispatcher.handle(event, attempts);
    }

    @Override
    public int availableCapacity() {
        Batch batch = ofThisThread();
        int room = dispatcher.availableCapacity();
        return batch == null ? room : Math.min(room, batch.limit);
    }

    @Override
    public long availableBytes() {
        return dispatcher.availableBytes();
    }

    @Override
    public @Nullable String leaseOwner() {
        return dispatcher.leaseOwner();
    }

    @Override
    public void attached(Consumer<Duration> wakeUp, @Nullable Duration leaseTime) {
        dispatcher.attached(
                delay -> {
                    wakeUp.accept(delay);
                    onWakeUp.accept(delay);
                },
                leaseTime);
    }

    @Override
    public Duration leaseTime() {
        return dispatcher.leaseTime();
    }
}
