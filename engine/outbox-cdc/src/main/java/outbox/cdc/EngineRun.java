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
 * Debezium's engine from its start to its end. Its place in the log is written down only when everything before it was
 * taken by the listeners; so after a crash the last batch comes again. What was left to a poller is not passed either: if
 * handing back fails, the next run begins in front of it.
 */
final class EngineRun {
    private static final Logger LOG = System.getLogger(EngineRun.class.getName());
    private static final Duration STOP_LIMIT = Duration.ofSeconds(30);

    private final RecordDelivery delivery;
    private final DebeziumEngine<RecordChangeEvent<SourceRecord>> engine;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Runnable onPlaceTaken;
    private final Runnable onReading;
    private volatile @Nullable HandBack handBack;
    private volatile boolean stopping;
    /** In {@link System#nanoTime()}; null while the snapshot goes on or a batch is in hand. */
    private volatile @Nullable Long silentSince;

    private boolean placeTaken; // of the thread that runs the engine, as the next three
    private boolean reading;
    private boolean leftToThePoller;
    private @Nullable Throwable failure;

    /**
     * @param onPlaceTaken called when every later commit is in the part of the log that will be read
     * @param onReading called after that, when the first record has come from the log itself
     */
    EngineRun(CdcRelayBuilder settings, Map<String, String> configuration, Runnable onPlaceTaken, Runnable onReading) {
        this.delivery = new RecordDelivery(settings);
        this.onPlaceTaken = onPlaceTaken;
        this.onReading = onReading;
        try {
            this.engine = engine(configuration);
        } catch (RuntimeException | Error e) { // settings that Debezium refuses, parts of it that do not fit together
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
            failedToHandBack();
        }
        return stopping ? null : failure;
    }

    @Nullable
    Instant oldestInHand() {
        return delivery.oldestInHand();
    }

    /** For how long nothing has come from the log, not even a heartbeat, although somebody waits for it. */
    Duration silence() {
        Long since = silentSince;
        return since == null ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - since);
    }

    /** From now on only what is not left to the poller is delivered. There is no way back but to {@link #stop()}. */
    void handBack(HandBack border) {
        handBack = border;
        if (ended.getCount() == 0) {
            failedToHandBack();
        }
    }

    private void failedToHandBack() {
        HandBack unfinished = handBack;
        if (unfinished != null) {
            unfinished.failed(new IllegalStateException("the relay stopped before it had handed back", failure));
        }
    }

    boolean awaitEnd(Duration limit) throws InterruptedException {
        return ended.await(limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Ends what was not started. */
    void abandon() {
        delivery.close();
        ended.countDown();
    }

    /** Lets listeners finish what they have, writes down how far that is, and ends the engine. */
    void stop() {
        stopping = true;
        delivery.close();
        long deadline = System.nanoTime() + STOP_LIMIT.toNanos();
        while (ended.getCount() > 0 && System.nanoTime() < deadline) {
            try {
                engine.close();
            } catch (IllegalStateException e) { // it is just starting, or ending by itself
                LOG.log(Level.DEBUG, "the engine cannot be closed now; tried again", e);
            } catch (IOException e) {
                LOG.log(Level.WARNING, "the engine did not close cleanly; its last place in the log is kept", e);
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
            silentSince = placeTaken ? System.nanoTime() : null;
        }

        private void deliverAll(
                List<RecordChangeEvent<SourceRecord>> changes,
                RecordCommitter<RecordChangeEvent<SourceRecord>> committer)
                throws InterruptedException {
            int begin = 0;
            for (int i = 0; i < changes.size(); i++) {
                SourceRecord record = changes.get(i).record();
                if (SnapshotNotice.hasPlaceInTheLog(record)) {
                    // what comes behind may fail for a long time, and must not keep this from being told
                    if (!deliver(changes.subList(begin, i + 1), committer)) {
                        return;
                    }
                    placeTaken = true;
                    onPlaceTaken.run();
                    begin = i + 1;
                } else if (placeTaken && !reading && !SnapshotNotice.isNotice(record)) {
                    reading = true;
                    onReading.run();
                }
            }
            deliver(changes.subList(begin, changes.size()), committer);
        }

        /** @return whether all of them are delivered; otherwise this is being stopped */
        private boolean deliver(
                List<RecordChangeEvent<SourceRecord>> changes,
                RecordCommitter<RecordChangeEvent<SourceRecord>> committer)
                throws InterruptedException {
            HandBack border = handBack;
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

        /** @return how many records come before the first one of this run that was left to the poller */
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
                if (SnapshotNotice.carriesAPlace(finished.get(last).record())) {
                    committer.markProcessed(finished.get(last));
                    committer.markBatchFinished();
                    return;
                }
            }
        }
    }
}
