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
        assertThat(throttle.attempt(unknown("anna", "10.0.0.1"))).isZero();
    }

    @Test
    void manyAttemptsAtOnceGainNothing() {
        int let = 0;
        for (int i = 0; i < 50; i++) { // none of them is known to have failed yet
            let += throttle.attempt(unknown("anna", "10.0.0." + i)).isZero() ? 1 : 0;
        }
        assertThat(let).isEqualTo(5);
    }

    @Test
    void afterThatAnAccountWaitsTwiceAsLongEachTime() {
        fail("anna", "10.0.0.1", 5);
        assertThat(throttle.attempt(unknown("anna", "10.0.0.2"))).isEqualTo(Duration.ofSeconds(2));
        clock.advance(Duration.ofSeconds(2));
        fail("anna", "10.0.0.1", 1);
        assertThat(throttle.attempt(unknown("anna", "10.0.0.2"))).isEqualTo(Duration.ofSeconds(4));
        for (int i = 0; i < 50; i++) {
            clock.advance(Duration.ofMinutes(15));
            fail("anna", "10.0.0." + i, 1);
        }
        assertThat(throttle.attempt(unknown("anna", "10.0.1.2"))).isEqualTo(Duration.ofMinutes(15));
        clock.advance(Duration.ofMinutes(15));
        assertThat(throttle.attempt(unknown("anna", "10.0.1.2"))).isZero();
    }

    @Test
    void anHourAfterTheLastWaitAllIsForgotten() {
        for (int i = 0; i < 21; i++) {
            fail("user" + i, "10.0.0.1", 1);
        }
        assertThat(throttle.attempt(unknown("anna", "10.0.0.1"))).isEqualTo(Duration.ofSeconds(2));
        clock.advance(Duration.ofSeconds(2).plus(Duration.ofMinutes(59)));
        fail("anna", "10.0.0.1", 1);
        assertThat(throttle.attempt(unknown("anna", "10.0.0.1"))).isEqualTo(Duration.ofSeconds(4));
        clock.advance(Duration.ofSeconds(5).plus(Duration.ofHours(1)));
        fail("anna", "10.0.0.1", 4);
        assertThat(throttle.attempt(unknown("anna", "10.0.0.1"))).isZero();
    }

    @Test
    void whoLogsInDoesNotKeepTheMistakesOfHisNeighboursAlive() {
        for (int i = 0; i < 20; i++) {
            fail("user" + i, "10.0.0.1", 1);
        }
        for (int i = 0; i < 3; i++) {
            clock.advance(Duration.ofMinutes(40));
            assertThat(throttle.attempt(unknown("anna", "10.0.0.1"))).isZero();
            throttle.succeeded(unknown("anna", "10.0.0.1"));
        }
        fail("berta", "10.0.0.1", 1);
        assertThat(throttle.attempt(unknown("clara", "10.0.0.1"))).isZero();
    }

    @Test
    void anAttemptThatNobodyCouldDecideDoesNotCount() {
        for (int i = 0; i < 50; i++) {
            assertThat(throttle.attempt(unknown("anna", "10.0.0.1"))).isZero();
            throttle.withdrawn(unknown("anna", "10.0.0.1"));
        }
    }

    @Test
    void anAddressThatTriesManyAccountsWaitsToo() {
        for (int i = 0; i < 21; i++) {
            fail("user" + i, "10.0.0.1", 1);
        }
        assertThat(throttle.attempt(unknown("anna", "10.0.0.1"))).isPositive();
        assertThat(throttle.attempt(unknown("anna", "10.0.0.2"))).isZero();
    }

    @Test
    void rightPasswordsDoNotCountAgainstAnAddress() {
        for (int i = 0; i < 50; i++) {
            assertThat(throttle.attempt(unknown("user" + i, "10.0.0.1"))).isZero();
            throttle.succeeded(unknown("user" + i, "10.0.0.1"));
        }
    }

    @Test
    void theRightPasswordClearsTheAccount() {
        fail("anna", "10.0.0.1", 5);
        throttle.succeeded(unknown("anna", "10.0.0.1"));
        assertThat(throttle.attempt(unknown("anna", "10.0.0.2"))).isZero();
    }

    @Test
    void guessesFromElsewhereDoNotLockOutAKnownDevice() {
        for (int i = 0; i < 50; i++) {
            throttle.attempt(unknown("anna", "10.0.0.1"));
        }
        assertThat(throttle.attempt(unknown("anna", "10.0.0.1"))).isPositive();
        LoginThrottle.Client device = new LoginThrottle.Client.KnownDevice("anna", "d1");
        assertThat(throttle.attempt(device)).isZero();
        throttle.succeeded(device);
        assertThat(throttle.attempt(unknown("anna", "10.0.0.2")))
                .as("whoever guesses still waits")
                .isPositive();
    }

    @Test
    void aKnownDeviceThatGuessesWaitsByItself() {
        LoginThrottle.Client stolen = new LoginThrottle.Client.KnownDevice("anna", "d1");
        for (int i = 0; i < 5; i++) {
            assertThat(throttle.attempt(stolen)).isZero();
        }
        assertThat(throttle.attempt(stolen)).isEqualTo(Duration.ofSeconds(2));
        assertThat(throttle.attempt(new LoginThrottle.Client.KnownDevice("anna", "d2")))
                .isZero();
        assertThat(throttle.attempt(unknown("anna", "10.0.0.1"))).isZero();
    }

    private static LoginThrottle.Client unknown(String account, String address) {
        return new LoginThrottle.Client.Unknown(account, address);
    }

    private void fail(String account, String address, int times) {
        for (int i = 0; i < times; i++) {
            assertThat(throttle.attempt(unknown(account, address))).isZero();
        }
    }
}
