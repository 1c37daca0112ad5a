package outbox.listener;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.DeliveryTimeoutException;
import outbox.spi.MetricsExporter;

/** The test's own thread makes the calls, and time passes when it says so. */
class RunningCallsTest {
    private static final Duration LIMIT = Duration.ofMinutes(10);

    private long now;
    private final List<String> told = new ArrayList<>();
    private final RunningCalls calls = new RunningCalls(() -> now, MetricsExporter.NOOP, 2);

    @AfterEach
    void clearInterrupt() {
        boolean ignored = Thread.interrupted();
    }

    private final class Noted extends RunningCalls.Call {
        Noted(String listener, Duration limit) {
            super(listener, limit);
        }

        @Override
        protected void limitReached(DeliveryTimeoutException failure) {
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        }

        @Override
        protected void timedOut(DeliveryTimeoutException failure) {
            told.add("timed out: " + failure.getMessage());
        }

        @Override
        protected void abandoned(Thread abandonedThread) {
            told.add("abandoned " + abandonedThread.getName());
        }
    }

    private Noted begin(String listener, Duration limit) {
        Noted call = new Noted(listener, limit);
        calls.begin(call);
        return call;
    }

    private void passAndLook(Duration time) {
        now += time.toNanos();
        calls.look();
    }

    @Test
    void aCallWithinItsLimitIsLeftAlone() {
        Noted call = begin("a", LIMIT);
        passAndLook(LIMIT.minusNanos(1));

        assertThat(told).isEmpty();
        assertThat(call.end()).isTrue();
        assertThat(call.end()).as("decided once").isFalse();
        passAndLook(LIMIT);
        assertThat(told).isEmpty();
    }

    @Test
    void aCallThatReachesItsLimitIsInterruptedAndItsEndDoesNotCount() {
        Noted call = begin("a", LIMIT);
        passAndLook(LIMIT);

        assertThat(told)
                .singleElement()
                .asString()
                .contains("'a' has not finished after PT10M; its time limit is PT10M");
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        assertThat(call.end()).isFalse();
        assertThat(Thread.currentThread().isInterrupted())
                .as("meant for that call only")
                .isFalse();
        passAndLook(LIMIT);
        assertThat(told).hasSize(1);
    }

    @Test
    void withoutALimitACallMayTakeForEver() {
        Noted call = begin("a", Duration.ZERO);
        passAndLook(Duration.ofDays(1000));

        assertThat(told).isEmpty();
        assertThat(call.end()).isTrue();
    }

    @Test
    void aThreadThatDoesNotReturnIsReplacedOnce() {
        Noted call = begin("a", LIMIT);
        passAndLook(LIMIT);
        passAndLook(Duration.ofMillis(999));
        assertThat(told).hasSize(1);
        passAndLook(Duration.ofMillis(1));
        passAndLook(Duration.ofDays(1));

        assertThat(told.subList(1, told.size()))
                .containsExactly("abandoned " + Thread.currentThread().getName());
        assertThat(call.isAbandoned()).isTrue();
        assertThat(call.end()).isFalse();
    }

    @Test
    void aStageHasNoThreadToInterruptOrReplace() {
        Noted call = begin("a", LIMIT);
        call.withoutThread();
        passAndLook(LIMIT);
        passAndLook(Duration.ofDays(1));

        assertThat(told).singleElement().asString().contains("its stage is cancelled");
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(call.end()).isFalse();
    }

    @Test
    void aListenerThatLeavesTooManyThreadsBehindIsSuspendedUntilOneReturns() {
        Noted first = begin("a", LIMIT);
        Noted second = begin("a", LIMIT);
        passAndLook(LIMIT);
        assertThat(calls.isSuspended("a")).isFalse();
        passAndLook(Duration.ofSeconds(1));

        assertThat(calls.isSuspended("a")).isTrue();
        assertThat(calls.isSuspended("b")).as("has none").isFalse();
        first.end();
        assertThat(calls.isSuspended("a")).isFalse();
        second.end();
    }
}
