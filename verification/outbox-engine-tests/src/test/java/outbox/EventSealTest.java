package outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.model.EventStatus;
import outbox.spi.EventSeal;

/** What is in the table may differ from what was written; nobody but the table sees it. */
@Timeout(60)
class EventSealTest extends EngineFixture {
    private static final String PLAIN = "{\"card\":\"1234\"}";

    private final List<String> payloads = new CopyOnWriteArrayList<>();
    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicBoolean away = new AtomicBoolean();
    private final AtomicInteger inVain = new AtomicInteger();

    private final EventSeal seal = new EventSeal() {
        @Override
        public EventEnvelope seal(EventEnvelope event) {
            if (event.eventType().equals("Refused")) {
                throw new IllegalStateException("not sealed");
            }
            return event.toBuilder()
                    .payloadJson("\"sealed\"")
                    .header("plain", event.payloadJson())
                    .build();
        }

        @Override
        public EventEnvelope open(EventEnvelope stored) {
            if (away.get()) {
                inVain.incrementAndGet();
                throw new RetryAfterException(Duration.ofMillis(20), "no key now");
            }
            if (!"\"sealed\"".equals(stored.payloadJson())) {
                throw new IllegalArgumentException("broken seal");
            }
            opened.incrementAndGet();
            return stored.toBuilder()
                    .payloadJson(stored.headers().get("plain"))
                    .headers(null)
                    .build();
        }
    };

    private EventListener notingPayloads() {
        return event -> payloads.add(event.payloadJson());
    }

    @Test
    void theHotPathDeliversWhatWasWrittenAndOpensNothing() {
        registry.register("E", notingPayloads());
        Outbox outbox = outbox(b -> b.seal(seal).pollInterval(Duration.ofHours(1)));
        String id = write(outbox, EventEnvelope.ofJson("E", PLAIN));

        awaitStatus(id, EventStatus.DONE);
        assertThat(store.row(id).event().payloadJson()).isEqualTo("\"sealed\"");
        assertThat(payloads).containsExactly(PLAIN);
        assertThat(opened).hasValue(0);
    }

    @Test
    void theColdPathOpensWhatItRead() {
        registry.register("E", notingPayloads());
        Outbox outbox = outbox(b -> b.seal(seal));
        EventEnvelope later = EventEnvelope.builder("E")
                .payloadJson(PLAIN)
                .deliverAfter(Duration.ofMillis(1))
                .build();
        write(outbox, later);

        awaitStatus(later.eventId(), EventStatus.DONE);
        assertThat(payloads).containsExactly(PLAIN);
        assertThat(opened).hasValue(1);
    }

    @Test
    void whatCanNotBeSealedIsNotWritten() {
        Outbox outbox = outbox(b -> b.seal(seal));
        assertThatThrownBy(() -> tx.inTransaction(() -> outbox.writer().write("Refused", PLAIN)))
                .hasMessage("not sealed");
        assertThat(store.rows()).isEmpty();
    }

    @Test
    void aBrokenSealMakesTheRowDeadAndNobodyElse() {
        registry.register("E", notingPayloads());
        EventEnvelope broken = EventEnvelope.ofJson("E", "\"not sealed\"");
        tx.inTransaction(() -> store.insertBatch(
                tx.currentConnection(), List.of(broken, seal.seal(EventEnvelope.ofJson("E", PLAIN)))));
        outbox(b -> b.seal(seal));

        assertThat(awaitStatus(broken.eventId(), EventStatus.DEAD).lastError()).contains("broken seal");
        awaitAll(1, EventStatus.DONE);
        assertThat(payloads).containsExactly(PLAIN);
    }

    @Test
    void aKeyThatIsAwayCostsNoAttempt() {
        registry.register("E", notingPayloads());
        away.set(true);
        EventEnvelope event = EventEnvelope.ofJson("E", PLAIN);
        tx.inTransaction(() -> store.insertBatch(tx.currentConnection(), List.of(seal.seal(event))));
        outbox(b -> b.seal(seal).maxAttempts(1));
        await().until(() -> inVain.get() >= 3);
        assertThat(store.row(event.eventId()).status()).isEqualTo(EventStatus.NEW);

        away.set(false);
        assertThat(awaitStatus(event.eventId(), EventStatus.DONE).event().attempts())
                .isZero();
        assertThat(payloads).containsExactly(PLAIN);
    }

    @Test
    void behindAnEventThatCanNotBeOpenedNowItsAggregateWaits() {
        registry.register("A", "E", notingPayloads());
        AtomicBoolean firstAway = new AtomicBoolean(true);
        EventSeal keepsFirst = new EventSeal() {
            @Override
            public EventEnvelope seal(EventEnvelope event) {
                return event;
            }

            @Override
            public EventEnvelope open(EventEnvelope stored) {
                if (firstAway.get() && "1".equals(stored.payloadJson())) {
                    throw new RetryAfterException(Duration.ofMillis(20), "no key now");
                }
                opened.incrementAndGet();
                return stored;
            }
        };
        List<EventEnvelope> events = List.of(inOrder("1"), inOrder("2"), inOrder("3"));
        tx.inTransaction(() -> store.insertBatch(tx.currentConnection(), events));
        outbox(b -> b.seal(keepsFirst).ordered());
        await().until(() -> opened.get() >= 2);
        assertThat(payloads).isEmpty();

        firstAway.set(false);
        awaitAll(3, EventStatus.DONE);
        assertThat(payloads).containsExactly("1", "2", "3");
    }

    private static EventEnvelope inOrder(String payload) {
        return EventEnvelope.builder("E")
                .aggregateType("A")
                .aggregateId("a")
                .payloadJson(payload)
                .build();
    }

    @Test
    void hooksComeOneAfterTheOther() {
        registry.register("E", notingPayloads());
        Outbox outbox = outbox(b -> b.writerHook(appending("2")).writerHook(appending("3")));
        String id = write(outbox, EventEnvelope.ofJson("E", "1"));
        awaitStatus(id, EventStatus.DONE);
        assertThat(payloads).containsExactly("123");
    }

    private static WriterHook appending(String digit) {
        return new WriterHook() {
            @Override
            public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
                return events.stream()
                        .map(event -> event.toBuilder()
                                .payloadJson(event.payloadJson() + digit)
                                .build())
                        .toList();
            }
        };
    }
}
