package outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import outbox.dispatch.ControlledListener;
import outbox.testing.DrillArrivals;
import outbox.testing.OutageDrill;
import outbox.testing.server.EmbeddedKafka;

/** A broker that stalls, and another time dies and comes back, while events are on their way. */
class KafkaOutageIT {
    private static final int EVENTS = Integer.getInteger("outbox.test.outage.events", 20_000);
    private static final Duration PAUSE = Duration.ofSeconds(Integer.getInteger("outbox.test.outage.seconds", 20));
    private static final int KEYS = 500;

    @Test
    void nothingIsLostOrOutOfOrderAndNoAttemptIsMadeWhileTheBreakerIsOpen() {
        try (EmbeddedKafka broker = EmbeddedKafka.launch();
                KafkaPublisher publisher = KafkaPublisher.builder(broker.bootstrapServers())
                        // Gives up within the pause, so that there is something to retry.
                        .producer("request.timeout.ms", 700)
                        .producer("delivery.timeout.ms", 1500)
                        .producer("max.block.ms", 1000)
                        .producer("reconnect.backoff.max.ms", 200)
                        .build()) {
            ControlledListener listener = publisher
                    .controlled()
                    .circuitBreaker(10, Duration.ofMillis(500))
                    .retryPolicy(attempts -> 200)
                    .maxAttempts(1000)
                    .build();
            OutageDrill.Report report = new OutageDrill(listener)
                    .events(EVENTS)
                    .keys(KEYS)
                    .incident(() -> stall(broker))
                    .incident(() -> {
                        broker.kill();
                        broker.start();
                    })
                    .run(PAUSE.plus(Duration.ofMinutes(3)));
            DrillArrivals arrivals = new DrillArrivals();
            KafkaReader.all(broker.bootstrapServers(), "outbox.event." + OutageDrill.AGGREGATE_TYPE)
                    .forEach(record -> arrivals.add(record.value()));

            assertThat(report.done()).as(report.toString()).isEqualTo(EVENTS);
            assertThat(arrivals.distinct()).isEqualTo(EVENTS);
            assertThat(arrivals.outOfOrder()).isEmpty();
            assertThat(report.openings()).isPositive();
            assertThat(report.leftAloneWhileOpen()).as(report.toString()).isTrue();
        }
    }

    private static void stall(EmbeddedKafka broker) {
        broker.pause();
        try {
            Thread.sleep(PAUSE.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            broker.resume();
        }
    }
}
