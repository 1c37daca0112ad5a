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
import outbox.spi.StoredPayload;
import outbox.util.FailureLog;

/**
 * Brings the rows in a batch of change records to their listeners. A row that cannot be read stops those behind it: what
 * came before it is delivered first, then it goes to the dead letters, or is tried again until it can be read.
 *
 * <p>Used by one thread, apart from {@link #close()} and {@link #oldestInHand()}.
 */
final class RecordDelivery implements AutoCloseable {
    private static final Logger LOG = System.getLogger(RecordDelivery.class.getName());

    private final CdcRelayBuilder settings;
    private final StreamDispatcher dispatcher;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final FailureLog failures = new FailureLog(LOG, Level.ERROR, "reading rows out of the log");
    /** The rows of the events with the dispatcher; the same id may be inserted twice, so the events are the keys. */
    private final Map<EventEnvelope, OutboxEvent> rows = new HashMap<>();

    private volatile @Nullable Instant oldestInHand;

    RecordDelivery(CdcRelayBuilder settings) {
        this.settings = settings;
        this.dispatcher = settings.dispatcher(this::bury);
    }

    /** When the oldest change was committed that is being delivered. */
    @Nullable
    Instant oldestInHand() {
        return oldestInHand;
    }

    /**
     * @param ofThePoller ids of events that are left to the poller; empty as long as none delivers
     * @return how many records are finished, from the first on; all unless this is being closed
     */
    int deliver(List<SourceRecord> records, Set<String> ofThePoller) throws InterruptedException {
        List<EventEnvelope> events = new ArrayList<>();
        List<Integer> places = new ArrayList<>();
        try {
            for (int place = 0; place < records.size(); place++) {
                OutboxEvent row = ChangeReader.insertedRow(records.get(place));
                if (row == null || ofThePoller.contains(row.eventId())) {
                    continue;
                }
                if (oldestInHand == null) {
                    oldestInHand = ChangeReader.committedAt(records.get(place));
                }
                EventEnvelope event = tryRead(row);
                if (event == null) {
                    int finished = deliver(events, places, place);
                    if (finished < place) {
                        return finished;
                    }
                    events.clear();
                    places.clear();
                    event = readOrBury(row);
                    if (closed.getCount() == 0) {
                        return place;
                    }
                }
                if (event != null) {
                    rows.put(event, row);
                    events.add(event);
                    places.add(place);
                }
            }
            return deliver(events, places, records.size());
        } finally {
            rows.clear();
            oldestInHand = null;
        }
    }

    /** @return how many records before {@code end} are finished */
    private int deliver(List<EventEnvelope> events, List<Integer> places, int end) throws InterruptedException {
        if (events.isEmpty()) {
            return closed.getCount() == 0 ? 0 : end;
        }
        int finished = dispatcher.deliver(events);
        return finished == events.size() ? end : places.get(finished);
    }

    /** @return {@code null} if the row cannot be read, now or ever */
    private @Nullable EventEnvelope tryRead(OutboxEvent row) {
        try {
            return read(row);
        } catch (RuntimeException e) {
            return null; // readOrBury says why
        }
    }

    private EventEnvelope read(OutboxEvent row) {
        return settings.seal.open(StoredPayload.eventOf(row, settings.jsonCodec));
    }

    /** @return {@code null} if the row is with the dead letters, or this is being closed */
    private @Nullable EventEnvelope readOrBury(OutboxEvent row) throws InterruptedException {
        for (int attempt = 1; closed.getCount() > 0; attempt++) {
            Duration delay;
            try {
                EventEnvelope event = read(row);
                failures.succeeded();
                return event;
            } catch (RetryAfterException e) {
                delay = e.delay();
                failures.failed("event " + row.eventId() + " cannot be read now; the relay waits for it", e);
            } catch (RuntimeException e) {
                if (settings.deadLetters != null && tryBury(row, e)) {
                    return null;
                }
                delay = Duration.ofMillis(Math.max(1, settings.retryPolicy.computeDelayMs(attempt)));
                failures.failed(
                        "the row of event " + row.eventId() + " cannot be read; nothing behind it is delivered"
                                + " until it can, or until the relay has dead letters; tried again in "
                                + delay.toMillis() + " ms",
                        e);
            }
            boolean ignored = closed.await(delay.toMillis(), TimeUnit.MILLISECONDS);
        }
        return null;
    }

    private boolean tryBury(OutboxEvent row, RuntimeException failure) {
        try {
            bury(new DeadLetter(settings.name, row, null, 0, failure.toString()));
            settings.metrics.incrementDispatchDead();
            LOG.log(Level.ERROR, "the row of event " + row.eventId() + " cannot be read; it is a dead letter", failure);
            return true;
        } catch (Exception e) {
            failure.addSuppressed(e);
            return false;
        }
    }

    private void bury(EventEnvelope event, int attempts, String error) throws Exception {
        OutboxEvent row = rows.get(event);
        if (row == null) {
            throw new IllegalStateException("event " + event.eventId() + " is not being delivered");
        }
        bury(new DeadLetter(settings.name, row, event, attempts, error));
    }

    private void bury(DeadLetter letter) throws Exception {
        if (settings.deadLetters == null) {
            throw new IllegalStateException("this relay has no dead letters");
        }
        settings.deadLetters.add(letter);
    }

    @Override
    public void close() {
        closed.countDown();
        dispatcher.close();
    }
}
