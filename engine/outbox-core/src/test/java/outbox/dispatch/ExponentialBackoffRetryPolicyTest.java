package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExponentialBackoffRetryPolicyTest {
    @ParameterizedTest
    @CsvSource({"1,200", "2,400", "3,800", "9,51200", "10,60000", "64,60000", "2000000000,60000", "0,200"})
    void doublesUpToTheCap(int attempts, long expected) {
        RetryPolicy withoutJitter = new ExponentialBackoffRetryPolicy(200, 60_000, () -> 0.5);
        assertThat(withoutJitter.computeDelayMs(attempts)).isEqualTo(expected);
    }

    @Test
    void jitterIsBetweenHalfAndOneAndAHalf() {
        assertThat(new ExponentialBackoffRetryPolicy(1000, 60_000, () -> 0).computeDelayMs(1))
                .isEqualTo(500);
        assertThat(new ExponentialBackoffRetryPolicy(1000, 60_000, () -> 1).computeDelayMs(1))
                .isEqualTo(1500);
        RetryPolicy random = new ExponentialBackoffRetryPolicy(1000, 60_000);
        assertThat(java.util.stream.IntStream.range(0, 1000).mapToLong(i -> random.computeDelayMs(1)))
                .allMatch(delay -> delay >= 500 && delay <= 1500)
                .hasSizeGreaterThan(1);
    }

    @Test
    void nonsenseIsRefusedWithItsValue() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ExponentialBackoffRetryPolicy(0, 10))
                .withMessageContaining("0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ExponentialBackoffRetryPolicy(11, 10))
                .withMessageContaining("11")
                .withMessageContaining("10");
    }
}
