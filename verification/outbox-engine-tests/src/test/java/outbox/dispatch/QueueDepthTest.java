package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.BatchEventListener;
import outbox.EngineFixture;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxWriter;
import outbox.model.EventStatus;

/** The depths that are told are those of now, also when nothing happens any more. */
@Timeout(120)
class QueueDepthTest extends EngineFixture {
    private final CountDownLatch goOn = new CountDownLatch(1);

    private void awaitDepths(int hot, int cold) {
        await().untilAsserted(() -> {
            assertThat(metrics.hotDepth).hasValue(hot);
            assertThat(metrics.coldDepth).hasValue(cold);
        });
    }

    @Test
    void aHotQueueThatWasEmptiedIsToldToBeEmpty() {
        registry.register("E", event -> goOn.await());
        Outbox outbox = outbox(builder -> builder.workerCount(1));
        writeMany(outbox, "E", 5);
        awaitDepths(4, 0);
        goOn.countDown();
        awaitAll(5, EventStatus.DONE);
        awaitDepths(0, 0);
    }

    @Test
    void soIsAColdOne() {
        registry.register("E", event -> goOn.await());
        EventEnvelope[] events = IntStream.range(0, 5)
                .mapToObj(i -> EventEnvelope.ofJson("E", "{}"))
                .toArray(EventEnvelope[]::new);
        tx.inTransaction(() -> new OutboxWriter(tx, store).writeAll(List.of(events)));
        outbox(builder -> builder.workerCount(1));
        awaitDepths(0, 4);
        goOn.countDown();
        awaitAll(5, EventStatus.DONE);
        awaitDepths(0, 0);
    }

    @Test
    void whatABatchListenerTakesAlongIsOutOfTheQueue() {
        BatchEventListener batches = events -> events.forEach(event -> delivered.add(event.eventId()));
        registry.register("First", event -> goOn.await()).register("E", batches);
        Outbox outbox = outbox(builder -> builder.workerCount(1));
        write(outbox, "First");
        writeMany(outbox, "E", 5);
        awaitDepths(5, 0);
        goOn.countDown();
        awaitAll(6, EventStatus.DONE);
        awaitDepths(0, 0);
    }

    @Test
    void nothingIsLeftInTheQueuesOfAClosedOutbox() {
        registry.register("E", event -> goOn.await());
        Outbox outbox = outbox(builder -> builder.workerCount(1).drainTimeout(Duration.ZERO));
        writeMany(outbox, "E", 5);
        awaitDepths(4, 0);
        outbox.close();
        awaitDepths(0, 0);
    }
}
