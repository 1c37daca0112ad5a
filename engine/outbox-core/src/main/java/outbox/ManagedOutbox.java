package outbox;

import java.sql.SQLException;
import java.time.Duration;
import outbox.dispatch.OutboxDispatcher;
import outbox.dispatch.SharedWorkerPool;
import outbox.poller.OutboxPoller;

/**
 * An outbox without threads of its own: its manager decides when it starts, polls and purges, and lends it the threads. For
 * the multi-database relay. Thread-safe.
 */
public final class ManagedOutbox {
    private final Outbox outbox;
    private final OutboxDispatcher dispatcher;
    private final OutboxPoller poller;
    private final SharedWorkerPool.Member threads;
    private final Duration purgeInterval;

    ManagedOutbox(Outbox outbox, Engine.Path delivery, SharedWorkerPool.Member threads, Duration purgeInterval) {
        this.outbox = outbox;
        this.dispatcher = delivery.dispatcher();
        this.poller = delivery.poller();
        this.threads = threads;
        this.purgeInterval = purgeInterval;
    }

    /** For writing to it, and for closing it. */
    public Outbox outbox() {
        return outbox;
    }

    /** Its share of the manager's threads. */
    public SharedWorkerPool.Member threads() {
        return threads;
    }

    public boolean isClosed() {
        return dispatcher.isClosed();
    }

    /**
     * Checks the table; from then on the outbox counts as running.
     *
     * @throws IllegalStateException if the table is missing, lacks a column or cannot be written to
     */
    public void start() {
        outbox.verifyAndStart();
    }

    /** Claims one batch on the caller's thread. @return how many events were found */
    public int poll() throws SQLException {
        return poller.pollOrFail();
    }

    /** Whether there is anything to purge. */
    public boolean purges() {
        return outbox.purges();
    }

    public Duration purgeInterval() {
        return purgeInterval;
    }
}
