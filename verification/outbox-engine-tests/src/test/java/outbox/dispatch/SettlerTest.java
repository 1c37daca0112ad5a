package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.dispatch.QueuedEvent.Source;
import outbox.model.Lease;
import outbox.spi.ConnectionProvider;
import outbox.spi.MetricsExporter;
import outbox.spi.Settlement;
import outbox.testing.InMemoryOutboxStore;
import outbox.util.Ticks;

/** Outcomes that cannot be written: none is forgotten, none is tried for ever. */
@Timeout(60)
class SettlerTest {
    private Settler settler(ConnectionProvider connections) {
        return new Settler(
                new OutcomeWriter(connections, new InMemoryOutboxStore(), Ticks.systemClock(), null),
                MetricsExporter.NOOP,
                System::nanoTime,
                new InFlightEvents(10, 10, Long.MAX_VALUE, null, () -> 0, Duration.ofSeconds(30)));
    }

    private static Outcome done() {
        EventEnvelope event = EventEnvelope.ofJson("E", "{}");
        return new Outcome(
                new Delivery(new QueuedEvent(event, Source.COLD, 0, new Lease("n", 0)), 0),
                new Settlement.Done(event.eventId()));
    }

    @Test
    void anInterruptionForgetsNoOutcome() throws Exception {
        Settler settler = settler(() -> {
            throw new SQLException("away", "08006");
        });
        int outcomes = 2 * Settler.MAX_BATCH + 1;
        for (int i = 0; i < outcomes; i++) {
            settler.submit(done());
        }
        AtomicReference<Throwable> end = new AtomicReference<>();
        Thread settling = new Thread(() -> {
            try {
                while (settler.awaitOutcomes()) {
                    settler.write();
                }
            } catch (Throwable e) {
                end.set(e);
            }
        });
        settling.start();
        await().until(settler::isFailing);
        settling.interrupt();
        settling.join();

        assertThat(end.get()).isInstanceOf(InterruptedException.class);
        assertThat(settler.waiting()).isEqualTo(outcomes);
    }
}
