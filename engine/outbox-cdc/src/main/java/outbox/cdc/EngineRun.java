package outbox.cdc;

import io.debezium.embedded.Connect;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.DebeziumEngine.ChangeConsumer;
import io.debezium.engine.DebeziumEngine.RecordCommitter;
import io.debezium.engine.RecordChangeEvent;
import io.debezium.engine.format.ChangeEventFormat;
import io.debezium.engine.spi.OffsetCommitPolicy;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.connect.source.SourceRecord;
import org.jspecify.annotations.Nullable;
import outbox.model.OutboxEvent;

/**
 * One run of Debezium's engine. The offset is stored only when everything before it was delivered, so the last batch is
 * read again after a crash. The offset does not pass events left to the pollers either: if the return to the pollers
 * fails, the next run starts before them.
 */
final class EngineRun {
    private static final Logger LOG = System.getLogger(EngineRun.class.getName());
    private static final Duration STOP_LIMIT = Duration.ofSeconds(30);

    private final RecordDelivery delivery;
    private final DebeziumEngine<RecordChangeEvent<SourceRecord>> engine;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Runnable onOffsetKnown;
    private final Runnable onReading;
    private volatile @Nullable ReturnToPollers returnToPollers;
    private volatile boolean stopping;
    /** In {@link System#nanoTime()}; null during the snapshot and while a batch is in flight. */
    private volatile @Nullable Long silentSince;

    private boolean offsetKnown; // this and the next three: only used by the engine's thread
    private boolean reading;
    private boolean leftToThePoller;
    private @Nullable Throwable failure;

    /**
     * @param onOffsetKnown called when every later commit is certain to be read from the log
     * @param onReading called after that, when the first record has arrived from the log
     */
    EngineRun(CdcRelayBuilder settings, Map<String, String> configuration, Runnable onOffsetKnown, Runnable onReading) {
        this.delivery = new RecordDelivery(settings);
        this.onOffsetKnown = onOffsetKnown;
        this.onReading = onReading;
        try {
            this.engine = engine(configuration);
        } catch (RuntimeException
                | Error e) { // settings that Debezium rejects, or incompatible versions of its modules
            delivery.close();
            throw e;
        }
    }

    private DebeziumEngine<RecordChangeEvent<SourceRecord>> engine(Map<String, String> configuration) {
        Properties properties = new Properties();
        properties.putAll(configuration);
        return DebeziumEngine.create(ChangeEventFormat.of(Connect.class))
                .using(properties)
                .using(OffsetCommitPolicy.always())
                .using((success, message, error) -> {
                    if (!success) {
                        failure = error == null ? new IllegalStateException(message) : error;
                    }
                })
                .notifying(new Batches())
                .build();
    }

    /** Reads and delivers until it is stopped or fails. @return why it failed; {@code null} if it was stopped */
    @Nullable
    Throwable run() {
        try {
            engine.run();
        } catch (RuntimeException e) {
            failure = e;
        } finally {
            delivery.close();
            ended.countDown();
            failedToReturn();
        }
        return stopping ? null : failure;
    }

    @Nullable
    Instant oldestInFlight() {
        return delivery.oldestInFlight();
    }

    /** For how long nothing has arrived from the log, not even a heartbeat. */
    Duration silence() {
        Long since = silentSince;
        return since == null ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - since);
    }

    /** From now on, events left to the pollers are skipped. This can only be undone by {@link #stop()}. */
    void returnToPollers(ReturnToPollers border) {
        returnToPollers = border;
        if (ended.getCount() == 0) {
            failedToReturn();
        }
    }

    private void failedToReturn() {
        ReturnToPollers unfinished = returnToPollers;
        if (unfinished != null) {
            unfinished.failed(
                    new IllegalStateException("the relay stopped before it had returned to pollers", failure));
        }
    }

    boolean awaitEnd(Duration limit) throws InterruptedException {
        return ended.await(limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** For a run that was not started. */
    void abandon() {
        delivery.close();
        ended.countDown();
    }

    /** Waits for running listeners, stores the offset, and stops the engine. */
    void stop() {
        stopping = true;
        delivery.close();
        long deadline = System.nanoTime() + STOP_LIMIT.toNanos();
        while (ended.getCount() > 0 && System.nanoTime() < deadline) {
            try {
                engine.close();
            } catch (IllegalStateException e) { // it is starting or already stopping
                LOG.log(Level.DEBUG, "the engine cannot be closed now; retrying", e);
            } catch (IOException e) {
                LOG.log(Level.WARNING, "the engine did not close cleanly; its last offset is stored", e);
            }
            try {
                if (ended.await(50, TimeUnit.MILLISECONDS)) {
                    return;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private final class Batches implements ChangeConsumer<RecordChangeEvent<SourceRecord>> {
        @Override
        public void handleBatch(
                List<RecordChangeEvent<SourceRecord>> changes,
                RecordCommitter<RecordChangeEvent<SourceRecord>> committer)
                throws InterruptedException {
            silentSince = null;
            deliverAll(changes, committer);
            silentSince = offsetKnown ? System.nanoTime() : null;
        }

        private void deliverAll(
                List<RecordChangeEvent<SourceRecord>> changes,
                RecordCommitter<RecordChangeEvent<SourceRecord>> committer)
                throws InterruptedException {
            int begin = 0;
            for (int i = 0; i < changes.size(); i++) {
                SourceRecord record = changes.get(i).record();
                if (SnapshotNotice.endsSnapshot(record)) {
                    // report this first: the records behind it may fail for a long time
                    if (!deliver(changes.subList(begin, i + 1), committer)) {
                        return;
                    }
                    offsetKnown = true;
                    onOffsetKnown.run();
                    begin = i + 1;
                } else if (offsetKnown && !reading && !SnapshotNotice.isNotice(record)) {
                    reading = true;
                    onReading.run();
                }
            }
            deliver(changes.subList(begin, changes.size()), committer);
        }

        /** @return whether all were delivered; otherwise the run is being stopped */
        private boolean deliver(
                List<RecordChangeEvent<SourceRecord>> changes,
                RecordCommitter<RecordChangeEvent<SourceRecord>> committer)
                throws InterruptedException {
            ReturnToPollers border = returnToPollers;
            List<SourceRecord> records =
                    changes.stream().map(RecordChangeEvent::record).toList();
            Set<String> ofThePoller = border == null ? Set.of() : border.idsOfThePoller(records);
            int finished = delivery.deliver(records, ofThePoller);
            takeDown(changes.subList(0, beforeWhatWasLeft(records.subList(0, finished), ofThePoller)), committer);
            if (border != null && finished > 0) {
                border.delivered(records.get(finished - 1));
            }
            return finished == changes.size();
        }

        /** @return how many records precede the first one of this run that was left to the pollers */
        private int beforeWhatWasLeft(List<SourceRecord> records, Set<String> ofThePoller) {
            for (int i = 0; i < records.size() && !leftToThePoller; i++) {
                OutboxEvent row = ofThePoller.isEmpty() ? null : ChangeReader.insertedRow(records.get(i));
                if (row != null && ofThePoller.contains(row.eventId())) {
                    leftToThePoller = true;
                    return i;
                }
            }
            return leftToThePoller ? 0 : records.size();
        }

        private void takeDown(
                List<RecordChangeEvent<SourceRecord>> finished,
                RecordCommitter<RecordChangeEvent<SourceRecord>> committer)
                throws InterruptedException {
            for (int last = finished.size() - 1; last >= 0; last--) {
                if (SnapshotNotice.hasOffset(finished.get(last).record())) {
                    committer.markProcessed(finished.get(last));
                    committer.markBatchFinished();
                    return;
                }
            }
        }
    }
}
