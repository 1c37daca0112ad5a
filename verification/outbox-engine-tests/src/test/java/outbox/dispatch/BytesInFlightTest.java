package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EngineFixture;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxWriter;
import outbox.model.EventStatus;

/** What is in flight is bounded by bytes as well as by number. */
@Timeout(120)
class BytesInFlightTest extends EngineFixture {
    private static final int SIZE = 10_000;

    private final CountDownLatch goOn = new CountDownLatch(1);

    private static EventEnvelope large(String type) {
        return EventEnvelope.ofJson(type, "\"" + "x".repeat(SIZE) + "\"");
    }

    @Test
    void aHotEventBeyondTheBytesStaysInTheTable() {
        registry.register("E", event -> {
            goOn.await();
            delivered.add(event.eventId());
        });
        Outbox outbox = outbox(builder -> builder.workerCount(1).maxBytesInFlight(8L * SIZE + 1_000));
        for (int i = 0; i < 20; i++) {
            write(outbox, large("E"));
        }
        assertThat(metrics.hotEnqueued)
                .as("half of the bytes are for hot events")
                .hasValue(4);
        assertThat(metrics.hotDropped).hasValue(16);
        goOn.countDown();
        awaitAll(20, EventStatus.DONE);
        assertThat(delivered).doesNotHaveDuplicates().hasSize(20);
    }

    @Test
    void anEventLargerThanTheLimitIsDeliveredAlone() {
        registry.register("E", noting());
        Outbox outbox = outbox(builder -> builder.maxBytesInFlight(100));
        List<String> ids =
                IntStream.range(0, 5).mapToObj(i -> write(outbox, large("E"))).toList();
        awaitAll(5, EventStatus.DONE);
        assertThat(delivered).containsExactlyInAnyOrderElementsOf(ids);
    }

    @Test
    void aBacklogIsTakenAsFastAsItsBytesAreDone() {
        Queue<Integer> inHand = new ConcurrentLinkedQueue<>();
        Outbox[] node = new Outbox[1];
        CountDownLatch built = new CountDownLatch(1);
        registry.register("E", event -> {
            built.await();
            inHand.add(node[0].inFlight());
            delivered.add(event.eventId());
        });
        tx.inTransaction(() -> new OutboxWriter(tx, store)
                .writeAll(IntStream.range(0, 200).mapToObj(i -> large("E")).toList()));
        node[0] = outbox(builder -> builder.pollInterval(Duration.ofHours(1)).maxBytesInFlight(20L * SIZE));
        built.countDown();
        awaitAll(200, EventStatus.DONE);
        assertThat(inHand).as("10 fit, and one may cross the limit").allMatch(count -> count <= 11);
        assertThat(delivered).doesNotHaveDuplicates().hasSize(200);
    }

    @Test
    void eventsThatAreSettledMakeRoom() {
        registry.register("E", noting()).register("Slow", event -> goOn.await());
        Outbox outbox = outbox(builder -> builder.maxBytesInFlight(4L * SIZE).workerCount(2));
        String slow = write(outbox, large("Slow"));
        List<String> ids =
                IntStream.range(0, 50).mapToObj(i -> write(outbox, large("E"))).toList();
        await().until(() -> delivered.size() == 50);
        assertThat(delivered).containsExactlyInAnyOrderElementsOf(ids);
        goOn.countDown();
        awaitStatus(slow, EventStatus.DONE);
    }
}
