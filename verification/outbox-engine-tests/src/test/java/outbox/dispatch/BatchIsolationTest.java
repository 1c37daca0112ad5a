package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.BatchEventListener;
import outbox.EngineFixture;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.listener.ControlledListener;
import outbox.model.EventStatus;

/** A batch listener that fails as a whole names no culprit; the others must not die with it. */
class BatchIsolationTest extends EngineFixture {
    private static final String POISON = "{\"poison\":true}";

    private final BatchEventListener careless = events -> {
        if (events.stream().anyMatch(event -> POISON.equals(event.payloadJson()))) {
            throw new IllegalStateException("one of " + events.size() + " is poison");
        }
        events.forEach(event -> delivered.add(event.eventId()));
    };

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 10})
    void anEventThatFailsItsBatchDiesAlone(int maxAttempts) {
        registry.register("E", careless);
        assertThat(attemptsOfPoisonAmongGood(maxAttempts)).isEqualTo(maxAttempts);
    }

    @Test
    void anExceptionThatMeansDeadAtOnceIsBlamedOnNobodyElse() {
        registry.register(
                "E",
                ControlledListener.of(careless)
                        .deadOn(IllegalStateException.class)
                        .build());
        assertThat(attemptsOfPoisonAmongGood(10)).isBetween(1, 2); // in a batch, and then alone
    }

    private int attemptsOfPoisonAmongGood(int maxAttempts) {
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            events.add(EventEnvelope.ofJson("E", i == 50 ? POISON : "{}"));
        }
        tx.inTransaction(() -> store.insertBatch(tx.currentConnection(), events)); // there before the engine is
        Outbox unused = outbox(builder -> builder.workerCount(1).maxAttempts(maxAttempts));

        awaitStatus(events.get(50).eventId(), EventStatus.DEAD);
        awaitAll(99, EventStatus.DONE);
        assertThat(delivered).hasSize(99).doesNotHaveDuplicates();
        return store.row(events.get(50).eventId()).event().attempts();
    }
}
