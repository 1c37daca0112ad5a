package outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import outbox.listener.ControlledListener;

class OutageDrillTest {
    private final DrillArrivals arrivals = new DrillArrivals();

    @Test
    void reportsWhatBecameOfEventsWhoseReceiverFailsForAWhile() {
        AtomicInteger failures = new AtomicInteger();
        CountDownLatch incident = new CountDownLatch(1);
        ControlledListener publisher = ControlledListener.of(event -> {
                    if (arrivals.distinct() >= 300) { // the incident comes at 250, if the rest is not done by then
                        assertThat(incident.await(20, TimeUnit.SECONDS)).isTrue();
                    }
                    if (failures.getAndDecrement() > 0) {
                        throw new IllegalStateException("out of order");
                    }
                    arrivals.add(Objects.requireNonNull(event.payloadJson()));
                })
                .retryPolicy(attempts -> 10)
                .maxAttempts(1000)
                .circuitBreaker(5, Duration.ofMillis(50))
                .build();
        OutageDrill.Report report = new OutageDrill(publisher)
                .events(500)
                .keys(20)
                .incident(() -> {
                    failures.set(30);
                    incident.countDown();
                })
                .run(Duration.ofSeconds(30));
        assertThat(report.done()).isEqualTo(500);
        assertThat(report.dead()).isZero();
        assertThat(report.pending()).isZero();
        assertThat(report.failedAttempts()).isEqualTo(30);
        assertThat(report.openings()).isPositive();
        assertThat(report.leftAloneWhileOpen()).isTrue();
        assertThat(arrivals.distinct()).isEqualTo(500);
        assertThat(arrivals.repeated()).isZero();
        assertThat(arrivals.outOfOrder()).isEmpty();
    }

    @Test
    void arrivalsOutOfOrderAreNamed() {
        for (int step : new int[] {0, 1, 1, 2, 1}) {
            arrivals.add("{\"key\":\"a\",\"step\":" + step + "}");
        }
        assertThat(arrivals.outOfOrder()).isEmpty();
        assertThat(arrivals.distinct()).isEqualTo(3);
        assertThat(arrivals.repeated()).isEqualTo(2);
        arrivals.add("{\"key\":\"a\",\"step\":4}");
        arrivals.add("{\"key\":\"a\",\"step\":3}");
        arrivals.add("{\"key\":\"b\",\"step\":1}");
        assertThat(arrivals.outOfOrder()).containsExactly("a: 4 after 2", "a: 3 after 4", "b: 1 after -1");
    }
}
