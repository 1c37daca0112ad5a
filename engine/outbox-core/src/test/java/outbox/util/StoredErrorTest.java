package outbox.util;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StoredErrorTest {
    @Test
    void ordinaryTextStaysAsItIs() {
        assertThat(StoredError.clean("timeout after 3 s \u00fc \ud83d\ude00"))
                .isEqualTo("timeout after 3 s \u00fc \ud83d\ude00");
        assertThat(StoredError.clean("")).isEmpty();
        assertThat(StoredError.clean(null)).isNull();
    }

    @Test
    void longTextIsCut() {
        assertThat(StoredError.clean("e".repeat(4001))).hasSize(4000);
    }

    @Test
    void aPairIsNotCutInHalf() {
        assertThat(StoredError.clean("e" + "\ud83d\ude00".repeat(2000))).isEqualTo("e" + "\ud83d\ude00".repeat(1999));
    }

    @Test
    void nulAndHalfPairsAreLeftOut() {
        assertThat(StoredError.clean("\u0000a\ud83db\ude00\ud83d\ude00c\ud83d")).isEqualTo("ab\ud83d\ude00c");
    }
}
