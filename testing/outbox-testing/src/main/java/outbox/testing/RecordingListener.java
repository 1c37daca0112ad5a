package outbox.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.EventListener;

/**
 * Records every event, lets tests wait for them, and fails on demand. Thread-safe.
 *
 * <pre>{@code
 * RecordingListener listener = new RecordingListener().failFirst(2, () -> new IOException("down"));
 * …
 * listener.awaitReceived(3);
 * assertEquals(1, listener.delivered().size());
 * }</pre>
 */
public final class RecordingListener implements EventListener {
    private final List<EventEnvelope> received = new ArrayList<>(); // guarded by this
    private final List<EventEnvelope> delivered = new ArrayList<>(); // guarded by this
    private Function<EventEnvelope, @Nullable Exception> failure = event -> null; // guarded by this

    /** Creates the exception of each failure. */
    @FunctionalInterface
    public interface Failure {
        Exception create();
    }

    /** Fails the next {@code times} deliveries, whatever the event. */
    public synchronized RecordingListener failFirst(int times, Failure with) {
        int[] left = {times};
        return failWhen(event -> left[0]-- > 0 ? with.create() : null);
    }

    /** Fails all deliveries from now on. */
    public RecordingListener failAlways(Failure with) {
        return failWhen(event -> with.create());
    }

    /** Fails deliveries for which {@code decision} returns an exception. Replaces previous settings. */
    public synchronized RecordingListener failWhen(Function<EventEnvelope, @Nullable Exception> decision) {
        this.failure = decision;
        return this;
    }

    /** Stops failing. */
    public RecordingListener succeed() {
        return failWhen(event -> null);
    }

    @Override
    public void onEvent(EventEnvelope event) throws Exception {
        Exception outcome;
        synchronized (this) {
            received.add(event);
            outcome = failure.apply(event);
            if (outcome == null) {
                delivered.add(event);
            }
            notifyAll();
        }
        if (outcome != null) {
            throw outcome;
        }
    }

    /** All calls so far, failed ones too, in the order they came. */
    public synchronized List<EventEnvelope> received() {
        return List.copyOf(received);
    }

    /** The events whose delivery did not fail, in the order they came; one delivered twice is in it twice. */
    public synchronized List<EventEnvelope> delivered() {
        return List.copyOf(delivered);
    }

    /** Ids of {@link #delivered()}. */
    public List<String> deliveredIds() {
        return delivered().stream().map(EventEnvelope::eventId).toList();
    }

    /** Waits until it has been called this often, at most 30 seconds. */
    public void awaitReceived(int count) {
        awaitSize(received, count, Await.DEFAULT_TIMEOUT);
    }

    /** Waits until this many deliveries have succeeded, at most 30 seconds. */
    public void awaitDelivered(int count) {
        awaitDelivered(count, Await.DEFAULT_TIMEOUT);
    }

    /** Waits until this many deliveries have succeeded. */
    public void awaitDelivered(int count, Duration timeout) {
        awaitSize(delivered, count, timeout);
    }

    private synchronized void awaitSize(List<EventEnvelope> list, int count, Duration timeout) {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (list.size() < count) {
            long millis = (deadline - System.nanoTime()) / 1_000_000;
            if (millis <= 0) {
                throw new AssertionError("not within " + timeout + ": " + count + " events; received " + received.size()
                        + ", delivered " + delivered.size());
            }
            try {
                wait(millis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError("interrupted while waiting for " + count + " events", e);
            }
        }
    }

    /** Forgets the events; the configured failures stay. */
    public synchronized void clear() {
        received.clear();
        delivered.clear();
    }
}
