package outbox.poller;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class AlarmTest {
    private final Alarm alarm = new Alarm(System::nanoTime);

    @Test
    void ringsAtOnceAtFirst() throws Exception {
        assertThat(alarm.await()).isTrue();
    }

    @Test
    void canBeBroughtForwardByAnotherThreadButNotPutOff() throws Exception {
        alarm.set(Duration.ofHours(1));
        alarm.bringForward(Duration.ofHours(2));
        Thread other = new Thread(() -> alarm.bringForward(Duration.ZERO));
        other.start();
        assertThat(alarm.await()).isTrue();
        other.join();
    }

    @Test
    void whoAskedForALaterTimeIsNotForgotten() throws Exception {
        alarm.set(Duration.ofHours(1));
        long start = System.nanoTime();
        for (int i = 1; i <= 3; i++) {
            alarm.bringForward(Duration.ofMillis(i * 50L));
        }
        while (System.nanoTime() - start < Duration.ofMillis(150).toNanos()) {
            assertThat(alarm.await()).isTrue();
            alarm.set(Duration.ofHours(1));
        }
    }

    @Test
    void aTimeThatNeverComesDoesNotPutItOff() throws Exception {
        alarm.bringForward(Duration.ofSeconds(Long.MAX_VALUE));
        assertThat(alarm.await()).isTrue();
    }

    @Test
    void aStopEndsTheWait() throws Exception {
        alarm.set(Duration.ofHours(1));
        Thread other = new Thread(alarm::stop);
        other.start();
        assertThat(alarm.await()).isFalse();
        other.join();
    }
}
