package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.AsyncEventListener;
import outbox.BatchEventListener;
import outbox.EventEnvelope;
import outbox.dispatch.QueuedEvent.Source;
import outbox.listener.ControlledListener;
import outbox.listener.RunningCalls;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.FailureListener;
import outbox.spi.MetricsExporter;

/** An Error may strike anywhere: whatever a worker has taken comes to an end all the same. */
class WorkerTest {
    private final Queue<Delivery> queue = new ArrayDeque<>();
    private final Queue<Delivery> putBack = new ArrayDeque<>();
    private final Set<String> strikes = new HashSet<>(); // each once
    private final List<String> delivered = new ArrayList<>();
    private final List<String> ended = new ArrayList<>();
    private final CompletableFuture<Void> answer = new CompletableFuture<>();
    private final BatchEventListener batch = events -> events.forEach(event -> delivered.add(event.eventId()));
    private final DefaultListenerRegistry registry = new DefaultListenerRegistry()
            .register("Batch", ControlledListener.of(batch).concurrency(1).build())
            .register("Async", (AsyncEventListener) event -> answer)
            .register("Other", event -> delivered.add(event.eventId()));
    private final Worker worker = new Worker(
            new BrokenProtocol(),
            registry,
            List.of(),
            new Verdict(attempts -> 1, 10, CompletionMode.MARK, FailureListener.NONE, () -> 0),
            MetricsExporter.NOOP,
            () -> 0,
            new RunningCalls(() -> 0, MetricsExporter.NOOP, 1),
            Duration.ofMinutes(1),
            thread -> {},
            new AsyncLimits(1, () -> 0));

    private final class BrokenProtocol implements Worker.Protocol {
        private void strike(String step) {
            if (strikes.remove(step)) {
                throw new StackOverflowError("simulated: " + step);
            }
        }

        @Override
        public @Nullable Delivery tryNext() {
            Delivery next = queue.peek();
            if (next != null) {
                strike("take " + next.eventId());
            }
            return queue.poll();
        }

        @Override
        public boolean admit(Delivery delivery) {
            strike("admit " + delivery.eventId());
            return true;
        }

        @Override
        public void resume(Delivery delivery) {
            putBack.add(delivery);
        }

        @Override
        public void ended(Outcome outcome) {
            Delivery delivery = outcome.delivery();
            boolean success = outcome.isSuccess();
            strike((success ? "finish " : "fail ") + delivery.eventId());
            delivery.finish();
            ended.add((success ? "finished " : "failed ") + delivery.eventId());
        }
    }

    private static Delivery delivery(String eventType, String eventId) {
        EventEnvelope event = EventEnvelope.builder(eventType)
                .eventId(eventId)
                .payloadJson("{}")
                .build();
        return new Delivery(new QueuedEvent(event, Source.HOT, 0), 0);
    }

    /** One to three go to the same batch; the fourth is taken to see that it does not. */
    private void processFour() {
        queue.add(delivery("Batch", "2"));
        queue.add(delivery("Batch", "3"));
        queue.add(delivery("Other", "4"));
        process(delivery("Batch", "1"));
    }

    private void process(Delivery first) {
        worker.process(first);
        while (!putBack.isEmpty()) {
            worker.process(putBack.remove());
        }
    }

    @Test
    void anEventThatCanNotBeTakenIntoABatchLeavesTheOthersInIt() {
        strikes.add("admit 2");
        processFour();

        assertThat(ended).containsExactly("failed 2", "finished 1", "finished 3", "finished 4");
        assertThat(delivered).containsExactly("1", "3", "4");
    }

    @Test
    void whereABatchCanNotBeFilledWhatIsInItGoesBackAndItsPlaceIsFree() {
        strikes.add("take 3");
        processFour();
        assertThat(ended).containsExactly("failed 1", "failed 2");

        Delivery next = queue.remove();
        process(next);
        assertThat(delivered).containsExactly("3", "4");
    }

    @Test
    void anEndThatCanNotBeNotedIsAFailureOfThatEventAlone() {
        strikes.add("finish 1");
        processFour();

        assertThat(ended).containsExactly("failed 1", "finished 2", "finished 3", "finished 4");
    }

    @Test
    void whenNotEvenThatCanBeNotedTheWholeBatchFailsAndItsPlaceIsFree() {
        strikes.addAll(Set.of("finish 1", "fail 1"));
        processFour();
        assertThat(ended).containsExactly("failed 1", "failed 2", "failed 3", "finished 4");

        worker.process(delivery("Batch", "5"));
        assertThat(ended).endsWith("finished 5");
    }

    /** Its future would keep the Error to itself. */
    @Test
    void theEndOfAnAsynchronousDeliveryIsNotedToo() {
        strikes.add("finish 1");
        worker.process(delivery("Async", "1"));
        assertThat(ended).isEmpty();
        answer.complete(null);

        assertThat(ended).containsExactly("failed 1");
    }
}
