package outbox.poller;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
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
        alarm.set(TimeUnit.HOURS.toNanos(1));
        alarm.bringForward(TimeUnit.HOURS.toNanos(2));
        Thread other = new Thread(() -> alarm.bringForward(0));
        other.start();
        assertThat(alarm.await()).isTrue();
        other.join();
    }

    @Test
    void aTimeThatNeverComesDoesNotPutItOff() throws Exception {
        alarm.bringForward(Long.MAX_VALUE);
        assertThat(alarm.await()).isTrue();
    }

    @Test
    void aStopEndsTheWait() throws Exception {
        alarm.set(TimeUnit.HOURS.toNanos(1));
        Thread other = new Thread(alarm::stop);
        other.start();
        assertThat(alarm.await()).isFalse();
        other.join();
    }
}
