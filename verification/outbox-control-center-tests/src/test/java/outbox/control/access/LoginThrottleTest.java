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
        assertThat(throttle.attempt("anna", "10.0.0.1")).isZero();
    }

    @Test
    void manyAttemptsAtOnceGainNothing() {
        int let = 0;
        for (int i = 0; i < 50; i++) { // none of them is known to have failed yet
            let += throttle.attempt("anna", "10.0.0." + i).isZero() ? 1 : 0;
        }
        assertThat(let).isEqualTo(5);
    }

    @Test
    void afterThatAnAccountWaitsTwiceAsLongEachTime() {
        fail("anna", "10.0.0.1", 5);
        assertThat(throttle.attempt("anna", "10.0.0.2")).isEqualTo(Duration.ofSeconds(2));
        clock.advance(Duration.ofSeconds(2));
        fail("anna", "10.0.0.1", 1);
        assertThat(throttle.attempt("anna", "10.0.0.2")).isEqualTo(Duration.ofSeconds(4));
        for (int i = 0; i < 50; i++) {
            clock.advance(Duration.ofMinutes(15));
            fail("anna", "10.0.0." + i, 1);
        }
        assertThat(throttle.attempt("anna", "10.0.1.2")).isEqualTo(Duration.ofMinutes(15));
        clock.advance(Duration.ofMinutes(15));
        assertThat(throttle.attempt("anna", "10.0.1.2")).isZero();
    }

    @Test
    void anHourAfterTheLastWaitAllIsForgotten() {
        for (int i = 0; i < 21; i++) {
            fail("user" + i, "10.0.0.1", 1);
        }
        assertThat(throttle.attempt("anna", "10.0.0.1")).isEqualTo(Duration.ofSeconds(2));
        clock.advance(Duration.ofSeconds(2).plus(Duration.ofMinutes(59)));
        fail("anna", "10.0.0.1", 1);
        assertThat(throttle.attempt("anna", "10.0.0.1")).isEqualTo(Duration.ofSeconds(4));
        clock.advance(Duration.ofSeconds(5).plus(Duration.ofHours(1)));
        fail("anna", "10.0.0.1", 4);
        assertThat(throttle.attempt("anna", "10.0.0.1")).isZero();
    }

    @Test
    void whoLogsInDoesNotKeepTheMistakesOfHisNeighboursAlive() {
        for (int i = 0; i < 20; i++) {
            fail("user" + i, "10.0.0.1", 1);
        }
        for (int i = 0; i < 3; i++) {
            clock.advance(Duration.ofMinutes(40));
            assertThat(throttle.attempt("anna", "10.0.0.1")).isZero();
            throttle.succeeded("anna", "10.0.0.1");
        }
        fail("berta", "10.0.0.1", 1);
        assertThat(throttle.attempt("clara", "10.0.0.1")).isZero();
    }

    @Test
    void anAttemptThatNobodyCouldDecideDoesNotCount() {
        for (int i = 0; i < 50; i++) {
            assertThat(throttle.attempt("anna", "10.0.0.1")).isZero();
            throttle.withdrawn("anna", "10.0.0.1");
        }
    }

    @Test
    void anAddressThatTriesManyAccountsWaitsToo() {
        for (int i = 0; i < 21; i++) {
            fail("user" + i, "10.0.0.1", 1);
        }
        assertThat(throttle.attempt("anna", "10.0.0.1")).isPositive();
        assertThat(throttle.attempt("anna", "10.0.0.2")).isZero();
    }

    @Test
    void rightPasswordsDoNotCountAgainstAnAddress() {
        for (int i = 0; i < 50; i++) {
            assertThat(throttle.attempt("user" + i, "10.0.0.1")).isZero();
            throttle.succeeded("user" + i, "10.0.0.1");
        }
    }

    @Test
    void theRightPasswordClearsTheAccount() {
        fail("anna", "10.0.0.1", 5);
        throttle.succeeded("anna", "10.0.0.1");
        assertThat(throttle.attempt("anna", "10.0.0.2")).isZero();
    }

    private void fail(String account, String address, int times) {
        for (int i = 0; i < times; i++) {
            assertThat(throttle.attempt(account, address)).isZero();
        }
    }
}
