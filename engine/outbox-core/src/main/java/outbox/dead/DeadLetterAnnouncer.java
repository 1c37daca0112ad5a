package outbox.dead;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.RetryAfterException;
import outbox.model.OutboxEvent;
import outbox.spi.ConnectionProvider;
import outbox.spi.DeadLetter;
import outbox.spi.DeadLetterListener;
import outbox.spi.DeadLetterStore;
import outbox.spi.DeadLetterStore.DeadRow;
import outbox.spi.EventSeal;
import outbox.spi.FailedDelivery;
import outbox.spi.StoredPayload;
import outbox.spi.UnitOfWork;
import outbox.util.DaemonThreadFactory;
import outbox.util.FailureLog;
import outbox.util.JsonCodec;
import outbox.util.Loop;
import outbox.util.Ticks;

/**
 * Calls a {@link DeadLetterListener} for the dead rows it has not seen: when an event died on this node, at the start, and
 * every lease time, for those of nodes that died and for calls that failed. One call at a time, without a connection.
 * Thread-safe.
 */
public final class DeadLetterAnnouncer implements AutoCloseable {
    private static final Logger LOG = System.getLogger(DeadLetterAnnouncer.class.getName());
    private static final int BATCH = 100;
    private static final long END_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final ConnectionProvider connections;
    private final DeadLetterStore store;
    private final DeadLetterListener listener;
    private final JsonCodec codec;
    private final EventSeal seal;
    private final Duration retryAfter;
    private final FailureLog failures = new FailureLog(LOG, Level.ERROR, "announcing dead letters");
    private final Semaphore wakeUps = new Semaphore(1);
    private volatile boolean closed;
    private @Nullable Loop loop; // guarded by this

    /** @param retryAfter when a call that has not returned, or failed, is repeated; also how often to look for such rows */
    public DeadLetterAnnouncer(
            ConnectionProvider connections,
            DeadLetterStore store,
            DeadLetterListener listener,
            JsonCodec codec,
            EventSeal seal,
            Duration retryAfter) {
        this.connections = UnitOfWork.bounded(connections, retryAfter);
        this.store = Objects.requireNonNull(store, "store");
        this.listener = Objects.requireNonNull(listener, "listener");
        this.codec = codec;
        this.seal = seal;
        this.retryAfter = retryAfter;
    }

    /** Starts its thread; a second call does nothing. */
    public synchronized void start() {
        if (loop == null && !closed) {
            loop = new Loop("dead letter announcer", new DaemonThreadFactory("outbox-dead-letters-"), this::turn)
                    .start();
        }
    }

    /** An event has died here. Never blocks. */
    public void wakeUp() {
        wakeUps.release();
    }

    private boolean turn() throws InterruptedException {
        boolean ignored = wakeUps.tryAcquire(Ticks.in(retryAfter), TimeUnit.NANOSECONDS);
        wakeUps.drainPermits();
        if (closed) {
            return false;
        }
        try {
            while (!closed && announceOnce() == BATCH) {} // there is probably more
            failures.succeeded();
        } catch (SQLException | RuntimeException e) {
            failures.failed("could not read the dead letters to announce; tried again in " + retryAfter, e);
        }
        return !closed;
    }

    /**
     * Announces one batch now, on the caller's thread.
     *
     * @return how many rows were to be announced
     */
    public int announceOnce() throws SQLException {
        List<DeadRow> rows = UnitOfWork.single(connections, conn -> store.unannounced(conn, retryAfter, BATCH));
        for (DeadRow row : rows) {
            if (closed || Thread.currentThread().isInterrupted()) {
                break;
            }
            String id = row.event().eventId();
            if (UnitOfWork.single(connections, conn -> store.beginAnnouncement(conn, id, retryAfter))
                    && announce(row)) {
                UnitOfWork.single(connections, conn -> {
                    store.announced(conn, id);
                    return id;
                });
            }
        }
        return rows.size();
    }

    private boolean announce(DeadRow row) {
        try {
            listener.onDeadLetter(letterOf(row));
            return true;
        } catch (Throwable e) { // a listener of the user's own: it must not keep the others from theirs
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            LOG.log(
                    Level.ERROR,
                    "dead letter listener failed at event " + row.event().eventId() + " of type "
                            + row.event().eventType() + "; it is called again in " + retryAfter,
                    e);
            return false;
        }
    }

    private DeadLetter letterOf(DeadRow row) {
        OutboxEvent event = row.event();
        try {
            EventEnvelope envelope = seal.open(StoredPayload.eventOf(event, codec));
            return new DeadLetter(
                    envelope.atAttempt(Math.max(1, event.attempts())), true, event.attempts(), row.error());
        } catch (RetryAfterException | OutOfMemoryError e) { // it can be read later
            throw e;
        } catch (RuntimeException | Error e) { // that is why it died
            EventEnvelope names = FailedDelivery.ofUnreadable(event, null, e).event();
            return new DeadLetter(names, false, event.attempts(), row.error());
        }
    }

    /** A call that runs gets five seconds, then it is interrupted. What was not announced is announced later. */
    @Override
    public void close() {
        Loop running;
        synchronized (this) {
            closed = true;
            running = loop;
        }
        wakeUps.release();
        if (running == null || running.isCurrentThread()) {
            return;
        }
        try {
            if (!running.awaitEnd(END_NANOS)) {
                running.interrupt();
            }
        } catch (InterruptedException e) {
            running.interrupt();
            Thread.currentThread().interrupt();
        }
    }
}
