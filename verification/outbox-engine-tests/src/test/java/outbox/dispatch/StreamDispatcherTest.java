package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.AsyncEventListener;
import outbox.BatchEventListener;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.NotAttemptedException;
import outbox.Uninterruptibly;
import outbox.listener.ControlledListener;
import outbox.spi.FailedDelivery;
import outbox.spi.Settlement;

class StreamDispatcherTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final List<String> taken = new CopyOnWriteArrayList<>();
    private StreamDispatcher dispatcher;

    @AfterEach
    void close() {
        if (dispatcher != null) {
            dispatcher.close();
        }
    }

    private StreamDispatcher.Builder to(EventListener listener) {
        return StreamDispatcher.builder()
                .listenerRegistry((aggregateType, eventType) -> eventType.equals("Unknown") ? null : listener)
                .retryPolicy(attempts -> 1);
    }

    private int deliver(StreamDispatcher.Builder builder, List<EventEnvelope> events) throws InterruptedException {
        dispatcher = builder.build();
        return dispatcher.deliver(events);
    }

    private static EventEnvelope event(String key, String payload) {
        return EventEnvelope.builder("Happened")
                .aggregateType("Order")
                .aggregateId(key)
                .payloadJson("\"" + payload + "\"")
                .build();
    }

    /** Number {@code i} of the key {@code i % keys}. */
    private static List<EventEnvelope> stream(int count, int keys) {
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            events.add(event("k" + i % keys, "" + i));
        }
        return events;
    }

    private void take(EventEnvelope event) {
        taken.add(event.aggregateId() + ":" + event.payloadJson().replace("\"", ""));
    }

    private void assertOrderOf(int count, int keys) {
        assertThat(taken).hasSize(count);
        for (int key = 0; key < keys; key++) {
            String prefix = "k" + key + ":";
            List<Integer> numbers = taken.stream()
                    .filter(entry -> entry.startsWith(prefix))
                    .map(entry -> Integer.parseInt(entry.substring(prefix.length())))
                    .toList();
            assertThat(numbers).isSorted().hasSize(count / keys);
        }
    }

    @Test
    void eventsOfAnAggregateComeInTheirOrderAndOthersSideBySide() throws Exception {
        CountDownLatch sideBySide = new CountDownLatch(2);
        int done = deliver(
                to(event -> {
                    take(event);
                    sideBySide.countDown();
                    assertThat(sideBySide.await(30, TimeUnit.SECONDS)).isTrue();
                }),
                stream(300, 3));

        assertThat(done).isEqualTo(300);
        assertOrderOf(300, 3);
    }

    @Test
    void anEventThatWasNotAttemptedComesAgainBeforeThoseBehindItAndCountsNoAttempt() throws Exception {
        List<FailedDelivery> failures = new CopyOnWriteArrayList<>();
        AtomicInteger refusals = new AtomicInteger();
        int done = deliver(
                to(event -> {
                            if (event.payloadJson().equals("\"2\"") && refusals.incrementAndGet() <= 3) {
                                throw new NotAttemptedException(Duration.ofMillis(1), "busy", null);
                            }
                            take(event);
                        })
                        .maxAttempts(1)
                        .failureListener(failures::add),
                stream(6, 2));

        assertThat(done).isEqualTo(6);
        assertOrderOf(6, 2);
        assertThat(failures).isEmpty();
    }

    @Test
    void aFailingEventIsTriedAgainBeforeThoseBehindIt() throws Exception {
        AtomicInteger failures = new AtomicInteger();
        int done = deliver(
                to(event -> {
                    if (event.payloadJson().equals("\"2\"") && failures.incrementAndGet() <= 3) {
                        throw new IllegalStateException("not yet");
                    }
                    take(event);
                }),
                stream(6, 2));

        assertThat(done).isEqualTo(6);
        assertThat(failures).hasValue(4);
        assertOrderOf(6, 2);
    }

    @Test
    void withoutDeadLettersAnEventIsNeverSkipped() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        int done = deliver(
                to(event -> {
                            if (calls.incrementAndGet() <= 20) {
                                throw new IllegalStateException("still not");
                            }
                            take(event);
                        })
                        .maxAttempts(3),
                stream(1, 1));

        assertThat(done).isEqualTo(1);
        assertThat(calls).hasValue(21);
    }

    @Test
    void anEventThatIsGivenUpGoesToTheDeadLettersBeforeTheNextOne() throws Exception {
        AtomicInteger refusals = new AtomicInteger();
        int done = deliver(
                to(event -> {
                            if (event.payloadJson().equals("\"0\"")) {
                                throw new IllegalStateException("poison");
                            }
                            take(event);
                        })
                        .maxAttempts(3)
                        .deadLetters((event, attempts, error) -> {
                            if (refusals.incrementAndGet() <= 2) {
                                throw new IllegalStateException("the dead letters are away");
                            }
                            taken.add("dead after " + attempts + " "
                                    + error.lines().findFirst().orElseThrow());
                        }),
                stream(2, 1));

        assertThat(done).isEqualTo(2);
        assertThat(taken).containsExactly("dead after 3 java.lang.IllegalStateException: poison", "k0:1");
    }

    @Test
    void anEventNobodyListensToIsADeadLetter() throws Exception {
        List<String> dead = new CopyOnWriteArrayList<>();
        deliver(
                to(this::take).deadLetters((event, attempts, error) -> dead.add(error)),
                List.of(EventEnvelope.ofJson("Unknown", "{}")));

        assertThat(dead).singleElement().asString().contains("no listener is registered for");
    }

    @Test
    void rulesOfAControlledListenerHold() throws Exception {
        List<String> dead = new CopyOnWriteArrayList<>();
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        EventListener listener = ControlledListener.of(event -> {
                    most.accumulateAndGet(running.incrementAndGet(), Math::max);
                    try {
                        if (event.payloadJson().equals("\"7\"")) {
                            throw new IllegalArgumentException("hopeless");
                        }
                        take(event);
                    } finally {
                        running.decrementAndGet();
                    }
                })
                .concurrency(1)
                .deadOn(IllegalArgumentException.class)
                .build();
        int done = deliver(
                to(listener).workerCount(4).deadLetters((event, attempts, error) -> dead.add(attempts + "")),
                stream(200, 200));

        assertThat(done).isEqualTo(200);
        assertThat(taken).hasSize(199);
        assertThat(dead).containsExactly("1");
        assertThat(most).hasValue(1);
    }

    @Test
    void anOpenBreakerPostponesAndLosesNothing() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        EventListener listener = ControlledListener.of(event -> {
                    if (calls.incrementAndGet() <= 2) {
                        throw new IllegalStateException("down");
                    }
                    take(event);
                })
                .circuitBreaker(2, Duration.ofMillis(50))
                .build();

        assertThat(deliver(to(listener).workerCount(1), stream(20, 4))).isEqualTo(20);
        assertOrderOf(20, 4);
    }

    @Test
    void anAsynchronousListenerHasOneEventOfAnAggregateInFlight() throws Exception {
        Map<String, AtomicInteger> inFlight = new ConcurrentHashMap<>();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger together = new AtomicInteger();
        CompletableFuture<Void> allHeads = new CompletableFuture<>();
        AsyncEventListener listener = new AsyncEventListener() {
            @Override
            public CompletionStage<?> onEventAsync(EventEnvelope event) {
                AtomicInteger ofKey = inFlight.computeIfAbsent(event.aggregateId(), key -> new AtomicInteger());
                most.accumulateAndGet(ofKey.incrementAndGet(), Math::max);
                take(event);
                if (together.incrementAndGet() == 50) {
                    allHeads.complete(null); // on one worker: the fifty are in flight without a thread each
                }
                return allHeads.thenRunAsync(ofKey::decrementAndGet);
            }
        };

        assertThat(deliver(to(listener).workerCount(1), stream(500, 50))).isEqualTo(500);
        assertThat(most).hasValue(1);
        assertOrderOf(500, 50);
    }

    @Test
    void aBatchListenerGetsSeveralAggregatesAtOnce() throws Exception {
        List<Integer> sizes = Collections.synchronizedList(new ArrayList<>());
        BatchEventListener listener = events -> {
            sizes.add(events.size());
            assertThat(events.stream().map(EventEnvelope::aggregateId)).doesNotHaveDuplicates();
            events.forEach(this::take);
        };

        assertThat(deliver(to(listener).workerCount(1), stream(400, 40))).isEqualTo(400);
        assertThat(sizes).anyMatch(size -> size > 1);
        assertOrderOf(400, 40);
    }

    @Test
    void aFailureIsReportedWithItsOutcome() throws Exception {
        List<FailedDelivery> failures = new CopyOnWriteArrayList<>();
        AtomicInteger calls = new AtomicInteger();
        deliver(
                to(event -> {
                            if (calls.incrementAndGet() == 1) {
                                throw new IllegalStateException("once");
                            }
                        })
                        .failureListener(failures::add),
                stream(1, 1));

        assertThat(failures).singleElement().satisfies(failure -> {
            assertThat(failure.attempt()).isEqualTo(1);
            assertThat(failure.outcome()).isInstanceOf(Settlement.Retry.class);
        });
    }

    @Test
    void closingReturnsHowFarItGot() throws Exception {
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        dispatcher = to(event -> {
                    if (event.payloadJson().equals("\"3\"")) {
                        blocked.countDown();
                        go.await();
                    }
                    take(event);
                })
                .workerCount(1)
                .drainTimeout(LIMIT)
                .build();
        CompletableFuture<Integer> result = CompletableFuture.supplyAsync(() -> {
            try {
                return dispatcher.deliver(stream(10, 1));
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(blocked.await(30, TimeUnit.SECONDS)).isTrue();
        Thread closing = new Thread(dispatcher::close);
        closing.start();
        await().atMost(LIMIT).until(dispatcher::isClosing);
        go.countDown();

        assertThat(result.get(30, TimeUnit.SECONDS))
                .as("the one that ran, nothing behind it")
                .isEqualTo(4);
        closing.join(30_000);
        assertThat(taken).hasSize(4);
        assertThat(dispatcher.deliver(stream(1, 1))).isZero();
    }

    @Test
    void aListenerThatDoesNotEndIsInterruptedAfterTheDrainTimeout() throws Exception {
        CountDownLatch called = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        dispatcher = to(event -> {
                    called.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        interrupted.countDown();
                        throw e;
                    }
                })
                .drainTimeout(Duration.ofMillis(50))
                .build();
        CompletableFuture<Integer> result = CompletableFuture.supplyAsync(() -> {
            try {
                return dispatcher.deliver(stream(1, 1));
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(called.await(30, TimeUnit.SECONDS)).isTrue();
        dispatcher.close();

        assertThat(result.get(30, TimeUnit.SECONDS)).isZero();
        assertThat(interrupted.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aCallAfterAnInterruptedOneWaitsForWhatStillRunsAndBeginsNothingElseOfIt() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        dispatcher = to(event -> {
                    if (event.payloadJson().equals("\"0\"") && running.getCount() > 0) {
                        running.countDown();
                        Uninterruptibly.await(go);
                    }
                    take(event);
                })
                .workerCount(1)
                .build();
        List<EventEnvelope> events = stream(6, 3); // k0 runs, k1 and k2 are queued behind it
        CompletableFuture<Throwable> ended = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            try {
                dispatcher.deliver(events);
                ended.complete(null);
            } catch (Throwable e) {
                ended.complete(e);
            }
        });
        caller.start();
        running.await();
        caller.interrupt();
        assertThat(ended.get()).isInstanceOf(InterruptedException.class);

        CompletableFuture<Integer> next = deliverElsewhere(dispatcher, events.subList(0, 1));
        assertThat(taken).isEmpty();
        go.countDown();
        assertThat(next.get()).isEqualTo(1);
        assertThat(taken).containsExactly("k0:0", "k0:0"); // its end was not known, so it comes a second time
        assertThat(dispatcher.deliver(events.subList(1, 6))).isEqualTo(5);
        assertThat(taken).hasSize(7);
    }

    @Test
    void whileAnotherDispatcherFillsAListenersLimitItIsAskedForAPlaceNowAndThen() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        ControlledListener shared = ControlledListener.of(event -> {
                    go.await();
                    take(event);
                })
                .concurrency(1)
                .build();
        AtomicInteger asked = new AtomicInteger();
        AtomicInteger askedByOther = new AtomicInteger();
        try (StreamDispatcher other = StreamDispatcher.builder()
                .listenerRegistry((aggregateType, eventType) -> {
                    askedByOther.incrementAndGet();
                    return shared;
                })
                .build()) {
            CompletableFuture<Integer> others =
                    deliverElsewhere(other, stream(18, 18)); // one runs, 16 wait, one is refused
            await().atMost(LIMIT).until(() -> askedByOther.get() >= 18);
            dispatcher = StreamDispatcher.builder()
                    .listenerRegistry((aggregateType, eventType) -> {
                        asked.incrementAndGet();
                        return shared;
                    })
                    .build();
            long start = System.nanoTime();
            CompletableFuture<Integer> ours = deliverElsewhere(dispatcher, List.of(event("mine", "0")));
            await().atMost(LIMIT).until(() -> asked.get() >= 11);
            long elapsed = System.nanoTime() - start;
            go.countDown();
            assertThat(ours.get()).isEqualTo(1);
            assertThat(others.get()).isEqualTo(18);
            assertThat(Duration.ofNanos(elapsed)).isGreaterThan(Duration.ofMillis(10 * 20)); // 20 ms between two times
        }
    }

    private static CompletableFuture<Integer> deliverElsewhere(
            StreamDispatcher dispatcher, List<EventEnvelope> events) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return dispatcher.deliver(events);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
    }
}
