package outbox.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;

class ListenerTimesTest {
    private final AtomicLong now = new AtomicLong();
    private final ListenerTimes times = new ListenerTimes(now::get);

    private void call(String type, Duration duration) {
        EventEnvelope event = EventEnvelope.ofJson(type, "{}");
        times.beforeDispatch(event);
        now.addAndGet(duration.toNanos());
        times.afterDispatch(event, null);
    }

    @Test
    void theP99IsNotBelowTheTrueOneAndAtMostAQuarterAbove() {
        for (int i = 1; i <= 1000; i++) {
            call("OrderPlaced", Duration.ofMillis(i));
        }
        ListenerTimes.Summary summary = times.summaries().get("OrderPlaced");
        assertThat(summary.count()).isEqualTo(1000);
        assertThat(summary.p99()).isBetween(Duration.ofMillis(990), Duration.ofMillis(1238));
    }

    @Test
    void eachTypeIsCountedForItself() {
        call("Fast", Duration.ofNanos(1));
        call("Slow", Duration.ofMinutes(3));
        assertThat(times.summaries().get("Fast").p99()).isLessThan(Duration.ofMillis(1));
        assertThat(times.summaries().get("Slow").p99()).isGreaterThanOrEqualTo(Duration.ofMinutes(3));
    }

    @Test
    void typesBeyondTheLimitAreCountedTogether() {
        for (int i = 0; i < ListenerTimes.MAX_TYPES + 5; i++) {
            call("Type" + i, Duration.ofMillis(1));
        }
        assertThat(times.summaries()).hasSize(ListenerTimes.MAX_TYPES + 1);
        assertThat(times.summaries().get(ListenerTimes.OTHERS).count()).isEqualTo(5);
    }
}
