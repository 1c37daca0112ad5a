package outbox.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RateLimitTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private static long take(RateLimit limit, long now) {
        return limit.tryTake(now, false);
    }

    @Test
    void afterABurstEventsComeAtTheRate() {
        RateLimit limit = new RateLimit(new Rate(10, Duration.ofSeconds(1), 5));
        long start = -SECOND; // ticks begin anywhere
        for (int i = 0; i < 5; i++) {
            assertThat(take(limit, start)).isZero();
        }
        assertThat(take(limit, start)).isEqualTo(SECOND / 10);
        assertThat(take(limit, start + SECOND / 10)).isZero();
        assertThat(take(limit, start + SECOND / 10)).isPositive();
    }

    @Test
    void aQuietTimeGivesOneBurstNotMore() {
        RateLimit limit = new RateLimit(new Rate(10, Duration.ofSeconds(1), 5));
        take(limit, 0);
        int at = 0;
        while (take(limit, 1000 * SECOND) == 0) {
            at++;
        }
        assertThat(at).isEqualTo(5);
    }

    @Test
    void whatComesTooEarlyIsSentAwayOneAfterTheOther() {
        RateLimit limit = new RateLimit(new Rate(10, Duration.ofSeconds(1), 1));
        assertThat(take(limit, 0)).isZero();
        assertThat(take(limit, 0)).isEqualTo(SECOND / 10);
        assertThat(take(limit, 0)).isEqualTo(2 * SECOND / 10);
        assertThat(take(limit, 0)).isEqualTo(3 * SECOND / 10);
    }

    /** A backlog with as many new events as the rate allows: the old ones are not overtaken for ever. */
    @Test
    void newEventsLineUpBehindThoseThatWereSentAway() {
        RateLimit limit = new RateLimit(new Rate(10, Duration.ofSeconds(1), 1));
        record Event(long at, boolean isNew, int number) {}
        PriorityQueue<Event> coming = new PriorityQueue<>(Comparator.comparingLong(Event::at));
        for (int i = 0; i < 100; i++) {
            coming.add(new Event(0, false, i));
        }
        for (int i = 0; i < 300; i++) {
            coming.add(new Event(i * SECOND / 10, true, 100 + i));
        }
        List<Integer> delivered = new ArrayList<>();
        long now = 0;
        while (!coming.isEmpty()) {
            Event next = coming.remove();
            now = Math.max(now, next.at());
            long wait = limit.tryTake(now, next.isNew());
            if (wait == 0) {
                delivered.add(next.number());
            } else {
                coming.add(new Event(now + wait, false, next.number()));
            }
        }
        assertThat(delivered).hasSize(400);
        assertThat(delivered.subList(0, 150))
                .as("the backlog")
                .containsAll(IntStream.range(0, 100).boxed().toList());
        assertThat(now).as("all at the rate").isBetween(39 * SECOND, 45 * SECOND);
    }

    @Test
    void nobodyIsSentAwayForLongerThanTenMinutes() {
        RateLimit limit = new RateLimit(Rate.parse("1/s"));
        for (int i = 0; i < 5_000; i++) {
            assertThat(take(limit, 0)).isLessThanOrEqualTo(RateLimit.FURTHEST_NANOS + SECOND);
        }
    }

    @ParameterizedTest
    @CsvSource({"100/s, 100, PT1S, 10", "30/m, 30, PT1M, 1", "1000 / h, 1000, PT1H, 1"})
    void aRateIsReadFromText(String text, int events, Duration per, int burst) {
        assertThat(Rate.parse(text)).isEqualTo(new Rate(events, per, burst));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "100", "100/d", "0/s", "-1/s", "1.5/s", "99999999999/s"})
    void whatIsNoRateIsRefused(String text) {
        assertThatThrownBy(() -> Rate.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }
}
