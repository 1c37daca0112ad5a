package outbox.dispatch;

import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import outbox.dispatch.QueuedEvent.Source;
import outbox.spi.MetricsExporter;

/**
 * The one place for the signals of a dispatcher: an event can be taken, an outcome can be written, there is room for a
 * claim, a row is due. Whoever changes something says so here; here is decided who has to be woken. Thread-safe.
 */
final class Signals {
    private final Threads threads;
    private final InFlightEvents inFlight;
    private final MetricsExporter metrics;
    private final Object reporting = new Object();
    private volatile @Nullable Consumer<Duration> poller;
    private volatile boolean pollerWantsRoom;

    Signals(Threads threads, InFlightEvents inFlight, MetricsExporter metrics) {
        this.threads = threads;
        this.inFlight = inFlight;
        this.metrics = metrics;
    }

    // ---- for the threads of this dispatcher ---------------------------------------------------------------------

    void workAvailable() {
        threads.workAvailable();
    }

    void outcomeWaiting() {
        threads.outcomeWaiting();
    }

    // ---- for the poller -----------------------------------------------------------------------------------------

    /**
     * The specification builds a poller after the dispatcher it polls for, so this is said later.
     *
     * @param poller polls after that time at the latest
     */
    void pollerIs(Consumer<Duration> poller) {
        this.poller = poller;
    }

    boolean hasPoller() {
        return poller != null;
    }

    void pollNow() {
        pollAfter(Duration.ZERO);
    }

    /** A row is due after this time. */
    void pollAfter(Duration delay) {
        Consumer<Duration> present = poller;
        if (present != null) {
            present.accept(delay);
        }
    }

    /** How many events a claim may bring. If they are few, the poller is woken when there is room for more. */
    int claimableRoom() {
        pollerWantsRoom = true; // before looking, so that no worker makes room unnoticed
        int room = inFlight.coldRoom();
        pollerWantsRoom = !inFlight.isWorthwhile(room);
        return room;
    }

    /** The poller brought more than there was room for. */
    void claimDidNotFit() {
        pollerWantsRoom = true;
        roomAvailable();
    }

    /** There may be enough room now for a claim that is worthwhile. */
    void roomAvailable() {
        if (pollerWantsRoom && inFlight.isRoomWorthwhile()) {
            pollerWantsRoom = false;
            pollNow();
        }
    }

    // ---- about the queues ---------------------------------------------------------------------------------------

    /** A worker has taken this event. */
    void dequeued(Delivery delivery) {
        depthsChanged();
        if (delivery.source() == Source.COLD) {
            roomAvailable();
        }
    }

    /** One report at a time, each reading anew: the last one is about the last change, so an idle outbox shows empty queues. */
    void depthsChanged() {
        if (metrics == MetricsExporter.NOOP) {
            return;
        }
        synchronized (reporting) {
            metrics.recordQueueDepths(
                    inFlight.queues().hotDepth(), inFlight.queues().coldDepth());
        }
    }
}
