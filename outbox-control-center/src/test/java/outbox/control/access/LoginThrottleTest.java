package outbox.control.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import outbox.testing.ManualClock;

class LoginThrottleTest {
    private final ManualClock clock = new ManualClock(Instant.EPOCH);
    private final LoginThrottle throttle = new LoginThrottle(clock);

    @Test
    void aFewMistakesAreFree() {
        fail("anna", "10.0.0.1", 4);
        assertThat(throttle.wait("anna", "10.0.0.1")).isZero();
    }

    @Test
    void afterThatAnAccountWaitsTwiceAsLongEachTime() {
        fail("anna", "10.0.0.1", 5);
        assertThat(throttle.wait("anna", "10.0.0.2")).isEqualTo(Duration.ofSeconds(2));
        fail("anna", "10.0.0.1", 1);
        assertThat(throttle.wait("anna", "10.0.0.2")).isEqualTo(Duration.ofSeconds(4));
        fail("anna", "10.0.0.1", 50);
        assertThat(throttle.wait("anna", "10.0.0.2")).isEqualTo(Duration.ofMinutes(15));
        clock.advance(Duration.ofMinutes(15));
        assertThat(throttle.wait("anna", "10.0.0.2")).isZero();
    }

    @Test
    void anAddressThatTriesManyAccountsWaitsToo() {
        for (int i = 0; i < 21; i++) {
            throttle.failed("user" + i, "10.0.0.1");
        }
        assertThat(throttle.wait("anna", "10.0.0.1")).isPositive();
        assertThat(throttle.wait("anna", "10.0.0.2")).isZero();
    }

    @Test
    void theRightPasswordClearsTheAccount() {
        fail("anna", "10.0.0.1", 10);
        throttle.succeeded("anna");
        assertThat(throttle.wait("anna", "10.0.0.2")).isZero();
    }

    private void fail(String account, String address, int times) {
        for (int i = 0; i < times; i++) {
            throttle.failed(account, address);
        }
    }
}
