package outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import outbox.listener.ControlledListener;
import outbox.spi.BreakerState;
import outbox.testing.DrillArrivals;
import outbox.testing.OutageDrill;

/** Three brokers, of which two must have a record before it counts as sent. */
class KafkaClusterIT {
    private static final int EVENTS = 6_000;

    @Test
    void nothingIsLostOrOutOfOrderWhenOneBrokerDiesThenAnotherAndBothComeBack(@TempDir Path directory)
            throws Exception {
        String topic = "outbox.event." + OutageDrill.AGGREGATE_TYPE;
        try (KafkaCluster cluster = new KafkaCluster(directory, 3);
                KafkaPublisher publisher = KafkaPublisher.builder(cluster.bootstrapServers())
                        // Gives up while two are dead, so that there is something to retry.
                        .producer("request.timeout.ms", 1000)
                        .producer("delivery.timeout.ms", 2000)
                        .producer("max.block.ms", 1000)
                        .build()) {
            cluster.createTopic(topic);
            ControlledListener listener = publisher
                    .controlled()
                    .circuitBreaker(10, Duration.ofMillis(500))
                    .retryPolicy(attempts -> 200)
                    .maxAttempts(1000)
                    .build();
            OutageDrill.Report report = new OutageDrill(listener)
                    .events(EVENTS)
                    .keys(300)
                    .incident(() -> cluster.kill(0))
                    .incident(() -> twoAreDead(cluster, listener))
                    .run(Duration.ofMinutes(6));
            cluster.awaitBrokers(3);
            DrillArrivals arrivals = new DrillArrivals();
            KafkaReader.all(cluster.bootstrapServers(), topic).forEach(record -> arrivals.add(record.value()));

            assertThat(report.done()).as(report.toString()).isEqualTo(EVENTS);
            assertThat(arrivals.distinct()).isEqualTo(EVENTS);
            assertThat(arrivals.outOfOrder()).isEmpty();
            assertThat(report.openings())
                    .as("the breaker opened while two were dead")
                    .isPositive();
            assertThat(report.leftAloneWhileOpen()).as(report.toString()).isTrue();
        }
    }

    /** Until the publisher has noticed. */
    private static void twoAreDead(KafkaCluster cluster, ControlledListener listener) {
        cluster.kill(1);
        await().atMost(Duration.ofMinutes(3)).until(() -> listener.breakerState() == BreakerState.OPEN);
        try {
            cluster.start(0);
            cluster.start(1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
