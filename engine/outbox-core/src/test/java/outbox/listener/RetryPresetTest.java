package outbox.listener;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RetryPresetTest {
    @ParameterizedTest
    @CsvSource({"QUICK,200,60000,10", "RELAY,1000,300000,10", "OUTBOUND,30000,3600000,5", "RECOVERY,30000,30000,36"})
    void hasItsDelaysAndItsLimit(RetryPreset preset, long base, long cap, int attempts) {
        assertThat(preset.maxAttempts()).isEqualTo(attempts);
        assertThat(preset.policy().computeDelayMs(1)).isBetween(base / 2, base * 3 / 2);
        assertThat(preset.policy().computeDelayMs(100)).isBetween(cap / 2, cap * 3 / 2);
    }
}
