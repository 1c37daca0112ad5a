package outbox;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.dead.DeadLetterAnnouncer;
import outbox.dispatch.DispatcherPollerHandler;
import outbox.dispatch.OutboxDispatcher;
import outbox.poller.OutboxPoller;
import outbox.purge.OutboxPurgeScheduler;
import outbox.purge.RotationScheduler;

/** What an outbox has threads for, until it is closed; the next start makes a new one. Thread-safe. */
final class Engine implements AutoCloseable {
    private final @Nullable Path delivery;
    private final @Nullable DeadLetterAnnouncer announcer;
    private final @Nullable OutboxPurgeScheduler purge;
    private final @Nullable RotationScheduler rotation;
    private volatile boolean started;
    private volatile boolean closed;

    /** The way of an event from writer and poller to its listener. */
    record Path(OutboxDispatcher dispatcher, RelayHandler handler, OutboxPoller poller) {}

    /** @param first whether no engine of this outbox ran before */
    Engine(OutboxBuilder builder, boolean first) {
        this.purge = builder.purgeScheduler();
        this.rotation = builder.rotationScheduler();
        if (builder.mode == OutboxBuilder.Mode.WRITER_ONLY) {
            this.delivery = null;
            this.announcer = null;
        } else {
            this.announcer = builder.announcer();
            OutboxDispatcher dispatcher = builder.dispatcher(announcer).build();
            RelayHandler handler = new RelayHandler(new DispatcherPollerHandler(dispatcher), builder.onWakeUp);
            this.delivery = new Path(dispatcher, handler, builder.poller(handler, first, announcer));
        }
    }

    @Nullable
    Path delivery() {
        return delivery;
    }

    Path requireDelivery() {
        return Objects.requireNonNull(delivery, "this outbox writes only");
    }

    /** From now on it counts as running; in a fleet, which polls and purges by itself, that is all. */
    void begin() {
        started = true;
        if (announcer != null) {
            announcer.start();
        }
    }

    void start(boolean polls) {
        if (delivery != null && polls) {
            delivery.poller().start();
        }
        if (purge != null) {
            purge.start();
        }
        if (rotation != null) {
            rotation.start();
        }
    }

    boolean isRunning(boolean polls) {
        return started
                && !closed
                && (delivery == null
                        || (!delivery.dispatcher().isClosed()
                                && (!polls || delivery.poller().isRunning())));
    }

    boolean isClosed() {
        return closed;
    }

    boolean purges() {
        return purge != null || rotation != null;
    }

    void purgeOnce() {
        if (purge != null) {
            purge.runOnce();
        }
        if (rotation != null) {
            rotation.runOnce();
        }
    }

    @Override
    public void close() {
        closed = true;
        if (delivery != null) {
            delivery.poller().close();
            delivery.dispatcher().close();
        }
        if (announcer != null) {
            announcer.close();
        }
        if (purge != null) {
            purge.close();
        }
        if (rotation != null) {
            rotation.close();
        }
    }
}
