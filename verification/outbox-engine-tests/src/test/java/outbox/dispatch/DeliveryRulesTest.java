package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EngineFixture;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.RecordedLogs;
import outbox.Redelivery;
import outbox.RetryAfterException;
import outbox.WriterHook;
import outbox.listener.ControlledListener;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.spi.FailedDelivery;
import outbox.spi.Settlement;
import outbox.testing.InMemoryRow;
import outbox.util.Ulid;

/** What becomes of one event: delivered, retried, dead; and what must not disturb it. */
@Timeout(60)
class DeliveryRulesTest extends EngineFixture {
    @Test
    void aCommittedEventIsDeliveredOnTheHotPathAndDone() {
        registry.register("E", noting());
        Outbox outbox = outbox(b -> b.pollInterval(Duration.ofHours(1)));
        String id = write(outbox, "E");

        InMemoryRow row = awaitStatus(id, EventStatus.DONE);
        assertThat(delivered).containsExactly(id);
        assertThat(row.doneAt()).isNotNull();
        assertThat(row.lockedBy()).isNull();
        assertThat(metrics.hotEnqueued).hasValue(1);
        await().untilAsserted(() -> assertThat(metrics.success).hasValue(1)); // counted right after the row is written
        assertThat(metrics.latencies).hasValue(1);
    }

    @Test
    void everyFailedDeliveryIsReportedWithItsAttemptAndOutcome() {
        List<FailedDelivery> failures = new CopyOnWriteArrayList<>();
        registry.register("E", event -> {
            throw new IOException("away");
        });
        Outbox outbox = outbox(b -> b.nodeId("node-a")
                .maxAttempts(2)
                .retryPolicy(attempt -> 0)
                .pollInterval(Duration.ofMillis(10))
                .failureListener(failure -> {
                    failures.add(failure);
                    throw new IllegalStateException("a listener that fails is ignored");
                }));
        String id = write(outbox, "E");

        awaitStatus(id, EventStatus.DEAD);
        assertThat(failures).extracting(FailedDelivery::attempt).containsExactly(1, 2);
        assertThat(failures).allSatisfy(failure -> {
            assertThat(failure.event().eventId()).isEqualTo(id);
            assertThat(failure.owner()).startsWith("node-a/");
            assertThat(failure.duration()).isNotNull();
            assertThat(failure.error()).hasMessage("away");
        });
        assertThat(failures.get(0).outcome()).isInstanceOf(Settlement.Retry.class);
        assertThat(failures.get(1).outcome()).isInstanceOf(Settlement.Dead.class);
    }

    @Test
    void anUnroutableEventIsReportedWithoutADuration() {
        List<FailedDelivery> failures = new CopyOnWriteArrayList<>();
        Outbox outbox = outbox(b -> b.failureListener(failures::add));
        String id = write(outbox, "E");

        awaitStatus(id, EventStatus.DEAD);
        assertThat(failures).hasSize(1);
        assertThat(failures.get(0).duration()).isNull();
    }

    @Test
    void whatIsRolledBackIsNeverDelivered() {
        registry.register("E", noting());
        Outbox outbox = outbox(b -> b);
        tx.begin();
        outbox.writer().write("E", "{}");
        tx.rollback();
        String committed = write(outbox, "E");

        awaitStatus(committed, EventStatus.DONE);
        assertThat(delivered).containsExactly(committed);
        assertThat(store.rows()).hasSize(1);
    }

    @Test
    void aWriteOutsideATransactionIsRefusedAndWritesNothing() {
        Outbox outbox = outbox(b -> b);
        assertThatIllegalStateException()
                .isThrownBy(() -> outbox.writer().write("E", "{}"))
                .withMessageContaining("no active transaction");
        assertThat(store.rows()).isEmpty();
    }

    @Test
    void theRowIsLeasedToItsNodeFromTheInsertOn() {
        CountDownLatch go = new CountDownLatch(1);
        registry.register("E", event -> go.await());
        Outbox outbox = outbox(b -> b.nodeId("node-a"));
        String id = write(outbox, "E");

        assertThat(store.row(id).lockedBy()).startsWith("node-a/");
        assertThat(store.row(id).lockedAt()).isNotNull();
        go.countDown();
        awaitStatus(id, EventStatus.DONE);
    }

    @Test
    void aFailureIsRetriedAndCountedUntilItWorks() {
        AtomicInteger calls = new AtomicInteger();
        registry.register("E", event -> {
            if (calls.incrementAndGet() < 4) {
                throw new IOException("not yet");
            }
        });
        String id = write(outbox(b -> b), "E");

        InMemoryRow row = awaitStatus(id, EventStatus.DONE);
        assertThat(calls).hasValue(4);
        assertThat(row.event().attempts()).isEqualTo(3);
        assertThat(row.lastError()).startsWith("java.io.IOException: not yet");
        assertThat(metrics.failure).hasValue(3);
    }

    @Test
    void afterTheLastAttemptItIsDeadWithItsCause() {
        AtomicInteger calls = new AtomicInteger();
        registry.register("E", event -> {
            calls.incrementAndGet();
            throw new IllegalStateException("always", new IOException("the root"));
        });
        try (RecordedLogs logs = new RecordedLogs()) {
            String id = write(outbox(b -> b.maxAttempts(3)), "E");

            InMemoryRow row = awaitStatus(id, EventStatus.DEAD);
            assertThat(calls).hasValue(3);
            assertThat(row.event().attempts()).isEqualTo(3);
            assertThat(row.doneAt()).as("when it died").isNotNull();
            assertThat(row.lastError()).contains("IllegalStateException: always", "IOException: the root");
            await().untilAsserted(() -> assertThat(logs.of(DeliveryProtocol.class, Level.SEVERE))
                    .singleElement()
                    .asString()
                    .contains(id, "DEAD", "the root"));
        }
        assertThat(metrics.dead).hasValue(1);
        assertThat(metrics.failure).hasValue(2);
    }

    @Test
    void aDeadEventCanBeReplayed() {
        AtomicInteger calls = new AtomicInteger();
        registry.register("E", event -> {
            if (calls.incrementAndGet() == 1) {
                throw new IllegalStateException("first time");
            }
        });
        Outbox outbox = outbox(b -> b.maxAttempts(1));
        String id = write(outbox, "E");
        awaitStatus(id, EventStatus.DEAD);

        assertThat(outbox.deadEvents().count(null)).isEqualTo(1);
        assertThat(outbox.deadEvents().query("E", null, 10))
                .extracting(OutboxEvent::eventId)
                .containsExactly(id);
        assertThat(outbox.deadEvents().replay(id)).isTrue();
        awaitStatus(id, EventStatus.DONE);
        assertThat(outbox.deadEvents().replay(id)).isFalse();
    }

    @Test
    void anEventNobodyListensToIsDeadAtOnce() {
        String id = write(outbox(b -> b), "Unknown");
        InMemoryRow row = awaitStatus(id, EventStatus.DEAD);
        assertThat(row.event().attempts()).isEqualTo(1);
        assertThat(row.lastError()).contains("UnroutableEventException", "__GLOBAL__:Unknown");
    }

    @Test
    void aRedeliveryGoesToTheListenerItNamesAndToNoOther() {
        registry.register("E", ControlledListener.of(noting()).name("crm").build());
        Outbox outbox = outbox(b -> b);
        String right = redelivered(outbox, "crm");
        String wrong = redelivered(outbox, "mail");

        awaitStatus(right, EventStatus.DONE);
        InMemoryRow dead = awaitStatus(wrong, EventStatus.DEAD);
        assertThat(dead.event().attempts()).isEqualTo(1);
        assertThat(dead.lastError()).contains("UnroutableEventException", "is a redelivery to 'mail'", "type 'E'");
        assertThat(delivered).containsExactly(right);
    }

    private String redelivered(Outbox outbox, String target) {
        String id = Ulid.next();
        return write(
                outbox,
                EventEnvelope.builder("E")
                        .eventId(id)
                        .headers(Redelivery.headers(id, "an earlier one", target))
                        .payloadJson("{}")
                        .build());
    }

    @Test
    void theTargetOfARedeliveryHasNoEffectOnAnEventItsHeadersWereCopiedTo() {
        registry.register("E", noting());
        Outbox outbox = outbox(b -> b);
        String id = write(
                outbox,
                EventEnvelope.builder("E")
                        .headers(Redelivery.headers("another", "an earlier one", "mail"))
                        .payloadJson("{}")
                        .build());
        awaitStatus(id, EventStatus.DONE);
    }

    @Test
    void errorsDoNotKillWorkers() {
        AtomicInteger calls = new AtomicInteger();
        registry.register("Poison", event -> {
            switch (calls.incrementAndGet() % 3) {
                case 0 -> throw new StackOverflowError();
                case 1 -> throw new OutOfMemoryError("simulated");
                default -> throw new NoClassDefFoundError("gone");
            }
        });
        registry.register("E", noting());
        Outbox outbox = outbox(b -> b.workerCount(1).maxAttempts(5));
        String poison = write(outbox, "Poison");
        List<String> good = writeMany(outbox, "E", 50);

        awaitStatus(poison, EventStatus.DEAD);
        awaitAll(50, EventStatus.DONE);
        assertThat(delivered).containsExactlyInAnyOrderElementsOf(good);
        assertThat(calls).hasValue(5);
    }

    @Test
    void aListenerThatLeavesTheThreadInterruptedDisturbsNobody() {
        registry.register("Rude", event -> Thread.currentThread().interrupt());
        registry.register("E", noting());
        Outbox outbox = outbox(b -> b.workerCount(1));
        writeMany(outbox, "Rude", 5);
        writeMany(outbox, "E", 5);
        awaitAll(10, EventStatus.DONE);
    }

    @Test
    void aListenerCanSetTheTimeOfTheNextAttempt() {
        registry.register("E", event -> {
            throw new RetryAfterException(Duration.ofHours(3), "come back later");
        });
        Instant before = Instant.now();
        String id = write(outbox(b -> b), "E");
        InMemoryRow row = awaitStatus(id, EventStatus.RETRY);
        assertThat(row.availableAt())
                .isBetween(before.plus(Duration.ofHours(3)), Instant.now().plus(Duration.ofHours(3)));
        assertThat(row.event().attempts()).isEqualTo(1);
    }

    @Test
    void interceptorsRunInOrderBeforeAndInReverseAfter() {
        List<String> steps = new CopyOnWriteArrayList<>();
        registry.register("E", event -> steps.add("listener"));
        String id =
                write(outbox(b -> b.interceptor(interceptor("a", steps)).interceptor(interceptor("b", steps))), "E");
        awaitStatus(id, EventStatus.DONE);
        assertThat(steps).containsExactly("before a", "before b", "listener", "after b null", "after a null");
    }

    private static EventInterceptor interceptor(String name, List<String> steps) {
        return new EventInterceptor() {
            @Override
            public void beforeDispatch(EventEnvelope event) {
                steps.add("before " + name);
            }

            @Override
            public void afterDispatch(EventEnvelope event, Exception error) {
                steps.add("after " + name + " " + error);
                throw new IllegalStateException("ignored");
            }
        };
    }

    @Test
    void anInterceptorThatThrowsBeforeKeepsTheListenerFromRunning() {
        registry.register("E", noting());
        AtomicReference<Exception> seen = new AtomicReference<>();
        String id = write(
                outbox(b -> b.maxAttempts(1)
                        .interceptor(EventInterceptor.after((event, error) -> seen.set(error)))
                        .interceptor(EventInterceptor.before(event -> {
                            throw new IOException("no");
                        }))),
                "E");
        awaitStatus(id, EventStatus.DEAD);
        assertThat(delivered).isEmpty();
        assertThat(seen.get()).isInstanceOf(IOException.class);
    }

    @Test
    void aRowWhoseOptionalFieldsAnotherWriterLeftEmptyIsDelivered() {
        registry.register("E", event -> {
            assertThat(event.aggregateId()).isNull();
            assertThat(event.tenantId()).isNull();
            delivered.add(event.eventId());
        });
        outbox(b -> b);
        OutboxEvent foreign = new OutboxEvent("foreign", "E", "__GLOBAL__", "", "", "{}", null, 0, Instant.now());
        store.put(new InMemoryRow(foreign, EventStatus.NEW, Instant.now(), null, null, null, null));

        awaitStatus("foreign", EventStatus.DONE);
        assertThat(delivered).containsExactly("foreign");
    }

    @Test
    void aRowThatCanNotBeDecodedIsDeadAndReportedAndTheOthersGoOn() {
        List<FailedDelivery> failures = new CopyOnWriteArrayList<>();
        registry.register("E", noting());
        Outbox outbox = outbox(b -> b.failureListener(failures::add));
        String good = write(outbox, "E");
        awaitStatus(good, EventStatus.DONE);
        InMemoryRow sample = store.row(good);
        OutboxEvent broken = new OutboxEvent(
                "broken",
                "E",
                "__GLOBAL__",
                null,
                null,
                "{}",
                "{\"nested\":{}}",
                0,
                sample.event().createdAt());
        store.put(new InMemoryRow(broken, EventStatus.NEW, sample.availableAt(), null, null, null, null));

        InMemoryRow row = awaitStatus("broken", EventStatus.DEAD);
        assertThat(row.lastError()).contains("undecodable", "nested");
        await().until(() -> !failures.isEmpty()); // right after the row is written
        assertThat(failures).singleElement().satisfies(failure -> {
            assertThat(failure.event().eventId()).isEqualTo("broken");
            assertThat(failure.attempt()).isEqualTo(1);
            assertThat(failure.duration()).isNull();
            assertThat(failure.outcome()).isInstanceOf(Settlement.Dead.class);
        });
        String next = write(outbox, "E");
        awaitStatus(next, EventStatus.DONE);
    }

    @Test
    void aDelayedEventWaitsForItsTimeAndIsNotBornLeased() {
        registry.register("E", noting());
        Outbox outbox = outbox(b -> b);
        Instant due = Instant.now().plusMillis(400);
        EventEnvelope event =
                EventEnvelope.builder("E").payloadJson("{}").availableAt(due).build();
        tx.inTransaction(() -> {
            outbox.writer().write(event);
            assertThat(store.row(event.eventId()).lockedBy()).isNull(); // before the commit nobody else claims it
        });
        InMemoryRow row = awaitStatus(event.eventId(), EventStatus.DONE);
        assertThat(row.doneAt()).isAfterOrEqualTo(due);
    }

    @Test
    void deletedOnCompletionWhereAskedFor() {
        registry.register("E", noting());
        Outbox outbox = outbox(b -> b.completionMode(CompletionMode.DELETE));
        writeMany(outbox, "E", 20);
        await().until(() -> delivered.size() == 20 && store.rows().isEmpty());
        await().untilAsserted(() -> assertThat(metrics.success).hasValue(20));
    }

    @Test
    void aUsersHookSeesEverythingAndItsFailuresStayItsOwn() {
        registry.register("E", noting());
        List<String> steps = new CopyOnWriteArrayList<>();
        Outbox outbox = outbox(b -> b.writerHook(new WriterHook() {
            @Override
            public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
                return events.stream()
                        .filter(event -> !event.eventType().equals("Secret"))
                        .toList();
            }

            @Override
            public void afterWrite(List<EventEnvelope> events) {
                steps.add("written " + events.size());
                throw new IllegalStateException("must not reach the caller");
            }

            @Override
            public void afterCommit(List<EventEnvelope> events) {
                steps.add("committed " + events.size());
                throw new IllegalStateException("must not reach the caller");
            }
        }));
        tx.inTransaction(() -> {
            assertThat(outbox.writer().write("Secret", "{}")).isNull();
            assertThat(outbox.writer().writeAll(List.of(EventEnvelope.ofJson("Secret", "{}"))))
                    .isEmpty();
            assertThat(outbox.writer().write("E", "{}")).isNotNull();
        });
        awaitAll(1, EventStatus.DONE);
        assertThat(store.rows()).hasSize(1);
        assertThat(steps).containsExactly("written 1", "committed 1");
    }

    @Test
    void aHookOfTheApplicationSeesTheCommitAndTheRowsAreBornLeased() {
        List<String> committed = new CopyOnWriteArrayList<>();
        CountDownLatch go = new CountDownLatch(1);
        registry.register("E", event -> go.await());
        Outbox outbox = outbox(b -> b.writerHook(new WriterHook() {
            @Override
            public void afterCommit(List<EventEnvelope> events) {
                events.forEach(event -> committed.add(event.eventId()));
            }
        }));
        String id = write(outbox, "E");
        assertThat(committed).containsExactly(id);
        assertThat(store.row(id).lockedBy()).isEqualTo(outbox.leaseOwner());
        go.countDown();
        awaitStatus(id, EventStatus.DONE);
    }
}
