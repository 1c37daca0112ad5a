package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.logging.Level;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EngineFixture;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxWriter;
import outbox.RecordedLogs;
import outbox.model.EventStatus;
import outbox.poller.OutboxPoller;
import outbox.spi.Settlement;

/** What dispatcher and poller do when they are given nothing but their parts: the specification's figures, at work. */
@Timeout(120)
class DefaultsTest extends EngineFixture {
    private final BlockingQueue<Settlement> failed = new LinkedBlockingQueue<>();

    private OutboxDispatcher dispatcher(UnaryOperator<OutboxDispatcher.Builder> settings) {
        return closing(settings.apply(OutboxDispatcher.builder()
                        .connectionProvider(store.connectionProvider())
                        .outboxStore(store)
                        .listenerRegistry(registry))
                .build());
    }

    private static QueuedEvent event(QueuedEvent.Source source, int attempts) {
        return new QueuedEvent(EventEnvelope.ofJson("E", "{}"), source, attempts);
    }

    @Test
    void fourWorkersAndAThousandPlacesInEachQueue() {
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicInteger running = new AtomicInteger();
        registry.register("E", event -> {
            running.incrementAndGet();
            goOn.await();
        });
        OutboxDispatcher dispatcher = dispatcher(builder -> builder);
        for (int i = 0; i < 4; i++) {
            dispatcher.enqueueHot(event(QueuedEvent.Source.HOT, 0));
        }
        await().until(() -> running.get() == 4);
        for (int i = 0; i < 1000; i++) {
            assertThat(dispatcher.enqueueHot(event(QueuedEvent.Source.HOT, 0))).isTrue();
            assertThat(dispatcher.enqueueCold(event(QueuedEvent.Source.COLD, 0)))
                    .isTrue();
        }
        assertThat(dispatcher.enqueueHot(event(QueuedEvent.Source.HOT, 0))).isFalse();
        assertThat(dispatcher.enqueueCold(event(QueuedEvent.Source.COLD, 0))).isFalse();
        assertThat(running).hasValue(4);
        goOn.countDown();
    }

    @Test
    void tenAttemptsAndDelaysFrom200MillisecondsToAMinute() throws Exception {
        registry.register("E", event -> {
            throw new IllegalStateException("down");
        });
        OutboxDispatcher dispatcher =
                dispatcher(builder -> builder.failureListener(failure -> failed.add(failure.outcome())));
        assertThat(delayAfter(dispatcher, 0)).isBetween(Duration.ofMillis(100), Duration.ofMillis(300));
        assertThat(delayAfter(dispatcher, 8)).isBetween(Duration.ofMillis(25_600), Duration.ofMillis(76_800));
        dispatcher.enqueueCold(event(QueuedEvent.Source.COLD, 9));
        assertThat(failed.poll(60, TimeUnit.SECONDS)).isInstanceOf(Settlement.Dead.class);

        OutboxDispatcher patient = dispatcher(
                builder -> builder.maxAttempts(100).failureListener(failure -> failed.add(failure.outcome())));
        assertThat(delayAfter(patient, 50)).isBetween(Duration.ofSeconds(30), Duration.ofSeconds(90));
    }

    private Duration delayAfter(OutboxDispatcher dispatcher, int attempts) throws InterruptedException {
        dispatcher.enqueueCold(event(QueuedEvent.Source.COLD, attempts));
        return ((Settlement.Retry) failed.poll(60, TimeUnit.SECONDS)).delay();
    }

    @Test
    void theRetryPolicyIsToldWhichAttemptFailed() {
        List<Integer> asked = new CopyOnWriteArrayList<>();
        registry.register("E", event -> {
            throw new IllegalStateException("down");
        });
        Outbox outbox = outbox(builder -> builder.maxAttempts(4).retryPolicy(attempts -> {
            asked.add(attempts);
            return 1;
        }));
        awaitStatus(write(outbox, "E"), EventStatus.DEAD);
        assertThat(asked).containsExactly(1, 2, 3);
    }

    @Test
    void closingGivesAListenerTimeToEnd() throws Exception {
        CountDownLatch called = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        registry.register("E", event -> {
            called.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                interrupted.countDown();
            }
        });
        OutboxDispatcher dispatcher = dispatcher(builder -> builder);
        dispatcher.enqueueHot(event(QueuedEvent.Source.HOT, 0));
        called.await();
        Thread closing = new Thread(dispatcher::close);
        long begin = System.nanoTime();
        closing.start();
        interrupted.await(1, TimeUnit.SECONDS);
        goOn.countDown();
        closing.join();
        long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
        if (took < OutboxDispatcher.DEFAULT_DRAIN_TIMEOUT_MS) { // else the machine was held up: nothing is known
            assertThat(interrupted.getCount()).isOne();
        }
    }

    @Test
    void fiftyRowsAPollAndFiveSecondsBetweenThem() {
        List<EventEnvelope> events = IntStream.range(0, 60)
                .mapToObj(i -> EventEnvelope.ofJson("E", "{}"))
                .toList();
        tx.inTransaction(() -> new OutboxWriter(tx, store).writeAll(events));
        OutboxPoller.builder()
                .connectionProvider(store.connectionProvider())
                .outboxStore(store)
                .handler((event, attempts) -> delivered.add(event.eventId()))
                .build()
                .poll();
        assertThat(delivered).hasSize(50);
        assertThat(store.count(EventStatus.NEW)).isEqualTo(60);

        OutboxPoller failing = OutboxPoller.builder()
                .connectionProvider(() -> {
                    throw new SQLException("away");
                })
                .outboxStore(store)
                .handler((event, attempts) -> true)
                .build();
        try (RecordedLogs logs = new RecordedLogs()) {
            failing.poll();
            assertThat(logs.of(OutboxPoller.class, Level.SEVERE)).containsExactly("poll failed; tried again in PT5S");
        }
    }
}
