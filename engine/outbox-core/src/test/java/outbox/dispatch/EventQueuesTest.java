package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.dispatch.QueuedEvent.Source;

@Timeout(120)
class EventQueuesTest {
    @Test
    void hotGetsTwoTurnsForEachOfCold() {
        EventQueues handOff = new EventQueues(100, 100);
        for (int i = 0; i < 30; i++) {
            handOff.offer(delivery(Source.HOT));
            handOff.offer(delivery(Source.COLD));
        }
        List<Source> taken = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            taken.add(handOff.tryTake().source());
        }
        assertThat(taken).filteredOn(Source.HOT::equals).hasSize(20);
        assertThat(taken.subList(0, 6))
                .containsExactly(Source.HOT, Source.HOT, Source.COLD, Source.HOT, Source.HOT, Source.COLD);
    }

    @Test
    void anEmptyQueueGivesItsTurnAway() {
        EventQueues handOff = new EventQueues(10, 10);
        for (int i = 0; i < 5; i++) {
            handOff.offer(delivery(Source.COLD));
        }
        for (int i = 0; i < 5; i++) {
            assertThat(handOff.tryTake().source()).isEqualTo(Source.COLD);
        }
        assertThat(handOff.tryTake()).isNull();
    }

    @Test
    void aFullQueueRefusesAndTheOtherDoesNot() {
        EventQueues handOff = new EventQueues(1, 2);
        assertThat(handOff.offer(delivery(Source.HOT))).isTrue();
        assertThat(handOff.offer(delivery(Source.HOT))).isFalse();
        assertThat(handOff.offer(delivery(Source.COLD))).isTrue();
        assertThat(handOff.coldRemaining()).isEqualTo(1);
    }

    @Test
    void aWaitingWorkerIsWokenByEitherQueue() throws Exception {
        EventQueues handOff = new EventQueues(10, 10);
        ConcurrentLinkedQueue<Source> seen = new ConcurrentLinkedQueue<>();
        CountDownLatch both = new CountDownLatch(2);
        Thread worker = new Thread(() -> {
            try {
                for (Delivery next = handOff.take(); next != null; next = handOff.take()) {
                    seen.add(next.source());
                    both.countDown();
                }
            } catch (InterruptedException e) {
                seen.clear();
            }
        });
        worker.start();
        handOff.offer(delivery(Source.COLD));
        handOff.offer(delivery(Source.HOT));
        assertThat(both.await(60, TimeUnit.SECONDS)).isTrue();
        handOff.close();
        worker.join();
        assertThat(seen).containsExactlyInAnyOrder(Source.COLD, Source.HOT);
    }

    @Test
    void afterCloseEveryWorkerGetsWhatIsLeftAndThenTheEnd() throws Exception {
        EventQueues handOff = new EventQueues(1000, 1000);
        for (int i = 0; i < 500; i++) {
            handOff.offer(delivery(i % 2 == 0 ? Source.HOT : Source.COLD));
        }
        handOff.close();
        assertThat(handOff.offer(delivery(Source.HOT))).isFalse();
        ConcurrentLinkedQueue<Delivery> taken = new ConcurrentLinkedQueue<>();
        List<Thread> workers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Thread worker = new Thread(() -> {
                try {
                    for (Delivery next = handOff.take(); next != null; next = handOff.take()) {
                        taken.add(next);
                    }
                } catch (InterruptedException e) {
                    taken.clear();
                }
            });
            workers.add(worker);
            worker.start();
        }
        for (Thread worker : workers) {
            worker.join();
        }
        assertThat(taken).hasSize(500).doesNotHaveDuplicates();
    }

    @Test
    void producersAndWorkersLoseAndDoubleNothing() throws Exception {
        EventQueues handOff = new EventQueues(64, 64);
        ConcurrentLinkedQueue<Delivery> taken = new ConcurrentLinkedQueue<>();
        List<Thread> workers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Thread worker = new Thread(() -> {
                try {
                    for (Delivery next = handOff.take(); next != null; next = handOff.take()) {
                        taken.add(next);
                    }
                } catch (InterruptedException e) {
                    taken.clear();
                }
            });
            workers.add(worker);
            worker.start();
        }
        List<Thread> producers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Source source = i % 2 == 0 ? Source.HOT : Source.COLD;
            Thread producer = new Thread(() -> {
                for (int n = 0; n < 20_000; n++) {
                    Delivery delivery = delivery(source);
                    while (!handOff.offer(delivery)) {
                        Thread.yield();
                    }
                }
            });
            producers.add(producer);
            producer.start();
        }
        for (Thread producer : producers) {
            producer.join();
        }
        handOff.close();
        for (Thread worker : workers) {
            worker.join();
        }
        assertThat(taken).hasSize(80_000);
        assertThat(new java.util.HashSet<>(taken)).hasSize(80_000);
    }

    private static final EventEnvelope EVENT = EventEnvelope.ofJson("E", "{}");

    private static Delivery delivery(Source source) {
        return new Delivery(new QueuedEvent(EVENT, source, 0), 0);
    }

    @Test
    void aDrainLosesNothingThatIsResumedMeanwhile() throws Exception {
        int count = 200_000;
        EventQueues handOff = new EventQueues(1, 1);
        Thread resuming = new Thread(() -> {
            for (int i = 0; i < count; i++) {
                handOff.resume(delivery(Source.COLD));
            }
        });
        resuming.start();
        int drained = 0;
        while (resuming.isAlive()) {
            drained += handOff.drain().size();
        }
        drained += handOff.drain().size();
        assertThat(drained).isEqualTo(count);
    }
}
