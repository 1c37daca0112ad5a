package outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.RetryAfterException;
import outbox.registry.DefaultListenerRegistry;

class DrainTest {
    private final InMemoryOutboxStore store = new InMemoryOutboxStore();
    private final InMemoryTxContext transactions = store.txContext();
    private final RecordingListener last = new RecordingListener();
    private final RecordingListener failing = new RecordingListener();
    private final Outbox outbox = Outbox.multiNode()
            .store(store)
            .connections(store.connectionProvider())
            .transactions(transactions)
            .listeners(new DefaultListenerRegistry()
                    .register("Order", "first", event -> write("second"))
                    .register("Order", "second", event -> write("third"))
                    .register("Order", "third", last)
                    .register("Order", "failing", failing))
            .maxAttempts(2)
            .pollOnDemand()
            .build()
            .start();

    @AfterEach
    void close() {
        outbox.close();
    }

    private void write(String type) {
        EventEnvelope event = EventEnvelope.builder(type)
                .aggregateType("Order")
                .payloadJson("{}")
                .build();
        transactions.inTransaction(() -> outbox.writer().write(event));
    }

    @Test
    void whatComesOfAnEventIsDeliveredToo() {
        write("first");

        assertThat(Outboxes.drain(outbox, store)).isEqualTo(new Outboxes.Drained(3, 0, 0));
        assertThat(last.delivered()).hasSize(1);
    }

    @Test
    void whatIsNotDueYetIsLeft() {
        failing.failAlways(() -> new RetryAfterException(Duration.ofHours(1), "later"));
        write("failing");

        assertThat(Outboxes.drain(outbox, store)).isEqualTo(new Outboxes.Drained(0, 1, 0));
    }

    @Test
    void aRetryThatIsDueIsDeliveredUntilItIsDead() {
        failing.failAlways(() -> new RetryAfterException(Duration.ZERO, "at once"));
        write("failing");

        assertThat(Outboxes.drain(outbox, store)).isEqualTo(new Outboxes.Drained(0, 0, 1));
        assertThat(failing.received()).hasSize(2);
    }

    @Test
    void nothingIsDrainedAtOnce() {
        assertThat(Outboxes.drain(outbox, store)).isEqualTo(new Outboxes.Drained(0, 0, 0));
    }
}
