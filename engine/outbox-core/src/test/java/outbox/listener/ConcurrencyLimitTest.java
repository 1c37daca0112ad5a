package outbox.listener;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import outbox.listener.ConcurrencyLimit.Entry;

class ConcurrencyLimitTest {
    private static final int LIMIT = 4;

    private final AtomicLong now = new AtomicLong();
    private final ConcurrencyLimit limit = new ConcurrencyLimit(LIMIT, now::get);
    private final List<Object> resumed = new ArrayList<>();

    private static Object delivery() {
        return new Object();
    }

    private Entry enter() {
        return limit.enter(delivery(), resumed::add);
    }

    /** @return how many were let in, to run or to wait */
    private int fill() {
        int taken = 0;
        while (enter() != Entry.REFUSED) {
            taken++;
        }
        return taken;
    }

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }

    /** So many leave, one after the other. */
    private void work(int count, Duration each) {
        for (int i = 0; i < count; i++) {
            pass(each);
            limit.leave();
        }
    }

    @Test
    void aFewWaitAndTheFirstOfThemHasTheNextPlace() {
        Object first = delivery();
        for (int i = 0; i < LIMIT; i++) {
            assertThat(enter()).isEqualTo(Entry.ENTERED);
        }
        assertThat(limit.enter(first, resumed::add)).isEqualTo(Entry.WAITING);
        assertThat(fill()).isEqualTo(15);
        work(1, Duration.ofSeconds(1));
        assertThat(resumed).containsExactly(first);
        assertThat(limit.withdraw(first)).isFalse();
        assertThat(enter()).isEqualTo(Entry.WAITING);
        assertThat(enter()).isEqualTo(Entry.REFUSED);
    }

    @Test
    void asManyWaitAsAFastListenerGetsDoneInAQuarterOfASecond() {
        fill();
        work(10, Duration.ofMillis(1));
        assertThat(fill()).isBetween(200, 250);
        work(1, Duration.ofSeconds(60));
        assertThat(enter()).as("it is fast no more").isEqualTo(Entry.REFUSED);
    }

    @Test
    void whoIsRefusedComesAgainOneAfterTheOtherWhenThereIsRoom() {
        fill();
        assertThat(limit.retryAfter()).as("nothing is known yet").isEqualTo(Duration.ofMillis(20));
        work(10, Duration.ofMillis(8));
        fill();
        int waiting = 31; // a quarter of a second at 8 ms each
        Duration first = limit.retryAfter();
        assertThat(first).isBetween(Duration.ofMillis(8 * waiting / 2 - 20), Duration.ofMillis(8 * waiting / 2));
        Duration last = first;
        for (int i = 0; i < 100; i++) {
            Duration next = limit.retryAfter();
            assertThat(next.minus(last)).isBetween(Duration.ofMillis(1), Duration.ofMillis(2));
            last = next;
        }
    }

    @Test
    void nobodyStaysAwayForMoreThanASecond() {
        fill();
        work(1, Duration.ofMinutes(1));
        for (int i = 0; i < 100; i++) {
            assertThat(limit.retryAfter()).isLessThanOrEqualTo(Duration.ofSeconds(1));
        }
    }

    @Test
    void timeInWhichNobodyWaitsSaysNothingAboutTheListener() {
        fill();
        work(16, Duration.ofMillis(1));
        pass(Duration.ofHours(1));
        for (int i = 0; i < LIMIT; i++) {
            limit.leave();
        }
        assertThat(fill()).isBetween(LIMIT + 200, LIMIT + 250);
    }
}
