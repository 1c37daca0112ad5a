package outbox.cdc;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.connect.source.SourceRecord;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.RetryAfterException;
import outbox.dispatch.StreamDispatcher;
import outbox.model.OutboxEvent;
import outbox.spi.FailedDelivery;
import outbox.spi.StoredPayload;
import outbox.util.FailureLog;

/**
 * Delivers the rows in a batch of change records to their listeners. A row that cannot be read blocks those behind it:
 * the rows before it are delivered first, then it becomes a dead letter or is retried until it can be read.
 *
 * <p>Used by one thread, apart from {@link #close()} and {@link #oldestInFlight()}.
 */
final class RecordDelivery implements AutoCloseable {
    private static final Logger LOG = System.getLogger(RecordDelivery.class.getName());

    private final CdcRelayBuilder settings;
    private final StreamDispatcher dispatcher;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final FailureLog failures = new FailureLog(LOG, Level.ERROR, "reading rows out of the log");
    /** The rows of the events in flight. Keyed by event, because the same id may be inserted twice. */
    private final Map<EventEnvelope, OutboxEvent> rows = new HashMap<>();

    private volatile @Nullable Instant oldestInFlight;

    RecordDelivery(CdcRelayBuilder settings) {
        this.settings = settings;
        this.dispatcher = settings.dispatcher(this::addDeadLetter);
    }

    /** Commit time of the oldest change in flight. */
    @Nullable
    Instant oldestInFlight() {
        return oldestInFlight;
    }

    /**
     * @param ofThePoller ids of events that are left to the pollers; empty unless the relay is returning to pollers
     * @return how many records, counted from the first, are finished; all unless this is being closed
     */
    int deliver(List<SourceRecord> records, Set<String> ofThePoller) throws InterruptedException {
        List<EventEnvelope> events = new ArrayList<>();
        List<Integer> indexes = new ArrayList<>();
        try {
            for (int index = 0; index < records.size(); index++) {
                OutboxEvent row = ChangeReader.insertedRow(records.get(index));
                if (row == null || ofThePoller.contains(row.eventId())) {
                    continue;
                }
                if (oldestInFlight == null) {
                    oldestInFlight = ChangeReader.committedAt(records.get(index));
                }
                EventEnvelope event = tryRead(row);
                if (event == null) {
                    int finished = deliver(events, indexes, index);
                    if (finished < index) {
                        return finished;
                    }
                    events.clear();
                    indexes.clear();
                    event = readOrDeadLetter(row);
                    if (closed.getCount() == 0) {
                        return index;
                    }
                }
                if (event != null) {
                    rows.put(event, row);
                    events.add(event);
                    indexes.add(index);
                }
            }
            return deliver(events, indexes, records.size());
        } finally {
            rows.clear();
            oldestInFlight = null;
        }
    }

    /** @return how many records before {@code end} are finished */
    private int deliver(List<EventEnvelope> events, List<Integer> indexes, int end) throws InterruptedException {
        if (events.isEmpty()) {
            return closed.getCount() == 0 ? 0 : end;
        }
        int finished = dispatcher.deliver(events);
        return finished == events.size() ? end : indexes.get(finished);
    }

    /** @return {@code null} if the row cannot be read, now or ever */
    private @Nullable EventEnvelope tryRead(OutboxEvent row) {
        try {
            return read(row);
        } catch (RuntimeException e) {
            return null; // readOrDeadLetter reports the cause
        }
    }

    private EventEnvelope read(OutboxEvent row) {
        return settings.seal.open(StoredPayload.eventOf(row, settings.jsonCodec));
    }

    /** @return {@code null} if the row became a dead letter, or this is being closed */
    private @Nullable EventEnvelope readOrDeadLetter(OutboxEvent row) throws InterruptedException {
        for (int attempt = 1; closed.getCount() > 0; attempt++) {
            Duration delay;
            try {
                EventEnvelope event = read(row);
                failures.succeeded();
                return event;
            } catch (RetryAfterException e) {
                delay = e.delay();
                failures.failed("event " + row.eventId() + " cannot be read now; the relay retries it", e);
            } catch (RuntimeException e) {
                if (settings.deadLetters != null && tryDeadLetter(row, e)) {
                    return null;
                }
                delay = Duration.ofMillis(Math.max(1, settings.retryPolicy.computeDelayMs(attempt)));
                failures.failed(
                        "the row of event " + row.eventId() + " cannot be read; later events are blocked"
                                + " until it can, or until a dead-letter sink is configured; retrying in "
                                + delay.toMillis() + " ms",
                        e);
            }
            boolean ignored = closed.await(delay.toMillis(), TimeUnit.MILLISECONDS);
        }
        return null;
    }

    private boolean tryDeadLetter(OutboxEvent row, RuntimeException failure) {
        try {
            addDeadLetter(new CdcDeadLetter(settings.name, row, null, 0, failure.toString()));
            settings.metrics.incrementDispatchDead();
            LOG.log(
                    Level.ERROR,
                    "the row of event " + row.eventId() + " cannot be read; it became a dead letter",
                    failure);
        } catch (Exception e) {
            failure.addSuppressed(e);
            return false;
        }
        report(row, failure);
        return true;
    }

    private void report(OutboxEvent row, RuntimeException failure) {
        try {
            settings.failureListener.failed(FailedDelivery.ofUnreadable(row, null, failure));
        } catch (Throwable e) { // a listener of the user's own
            LOG.log(Level.WARNING, "failure listener failed at event " + row.eventId() + "; ignored", e);
        }
    }

    private void addDeadLetter(EventEnvelope event, int attempts, String error) throws Exception {
        OutboxEvent row = rows.get(event);
        if (row == null) {
            throw new IllegalStateException("event " + event.eventId() + " is not being delivered");
        }
        addDeadLetter(new CdcDeadLetter(settings.name, row, event, attempts, error));
    }

    private void addDeadLetter(CdcDeadLetter letter) throws Exception {
        if (settings.deadLetters == null) {
            throw new IllegalStateException("this relay has no dead-letter sink");
        }
        settings.deadLetters.add(letter);
    }

    @Override
    public void close() {
        closed.countDown();
        dispatcher.close();
    }
}
