package outbox.domain.handler;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class RetryRuleTest {
    private static final RetryRule OUTBOUND = RetryRule.named().get("outbound");
    private static final RetryRule RELAY = RetryRule.named().get("relay");

    @RepeatedTest(20)
    @DisplayName("W5: base 30 s, doubling, 5 attempts")
    void outboundDoublesFromThirtySecondsAndGivesUpAfterFiveAttempts() {
        assertThat(OUTBOUND.maxAttempts()).isEqualTo(5);
        for (int attempt = 1; attempt <= 4; attempt++) {
            long nominal = 30_000L << (attempt - 1);
            assertThat(OUTBOUND.policy().computeDelayMs(attempt)).isBetween(nominal / 2, nominal + nominal / 2);
        }
    }

    @RepeatedTest(20)
    @DisplayName("D6: base 1 s, cap 300 s")
    void relayDoublesFromOneSecondUpToThreeHundred() {
        assertThat(RELAY.policy().computeDelayMs(1)).isBetween(500L, 1_500L);
        assertThat(RELAY.policy().computeDelayMs(30)).isBetween(150_000L, 450_000L);
    }

    @Test
    @DisplayName("P3: every 30 s, 36 attempts")
    void recoveryRepeatsEveryThirtySeconds() {
        assertThat(RetryRule.RECOVERY.maxAttempts()).isEqualTo(36);
        assertThat(RetryRule.RECOVERY.policy().computeDelayMs(36)).isEqualTo(30_000);
    }
}
